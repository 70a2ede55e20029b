// A page or the contents are gone, damaged or missing: what all other records have is found, by that launch and by the
// next one. Nothing is told anew by a server here.

import Testing

@testable import ChatDomain

@Suite("Situations: records that are gone")
struct GoneRecordSituations {
    private typealias Device = Driver<Chat>

    /// How a record is gone.
    enum Loss: CaseIterable { case damaged, missing }

    /// Answers from a disk, on which a damaged record is set aside when it is loaded. A full one takes nothing.
    private static func serve(
        _ driver: inout Device, from disk: inout Disk<Chat>, damaged: inout [Chat.Key], isFull: Bool = false
    ) {
        while let operation = driver.storage.first {
            let isDamaged = damaged.contains(operation.key)
            if isFull, operation.work != .load {
                driver.answer(operation.key, with: .failed(.full))
            } else if isDamaged, operation.work == .load {
                disk[operation.key] = nil
                driver.answer(operation.key, with: .failed(.damaged))
                damaged.removeAll { $0 == operation.key }
            } else {
                driver.answer(operation.key, with: disk.carryOut(operation))
            }
        }
    }

    /// The next launch, which may hear one more reply, and in which the person scrolls up to the beginning.
    private static func launch(
        _ disk: inout Disk<Chat>, seed: UInt64, pageLength: Int64 = 2, damaged: [Chat.Key] = [],
        isFull: Bool = false, hearsMore: Bool = false
    ) -> Device {
        var damaged = damaged
        var driver = Device.fresh(seed: seed) { $0.pageLength = pageLength }
        driver.send(.signedIn(Device.account))
        serve(&driver, from: &disk, damaged: &damaged, isFull: isFull)
        driver.send(.shown)
        driver.finishConnecting()
        if hearsMore { driver.hear(.message(Device.reply("more", "more", at: 90))) }
        serve(&driver, from: &disk, damaged: &damaged, isFull: isFull)
        for _ in 0..<5 {
            driver.send(.olderRequested)
            serve(&driver, from: &disk, damaged: &damaged, isFull: isFull)
        }
        return driver
    }

    // MARK: One record at any moment

    /// The disk after each write of a story: a refused message and five replies, on pages of two.
    private static func story() -> [Disk<Chat>] {
        var disks: [Disk<Chat>] = []
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.say("mine")
        driver.serve(from: &disk) { after, _ in disks.append(after) }
        driver.hear(.rejected(driver.saidIDs.last ?? "", reason: "No."))
        driver.serve(from: &disk) { after, _ in disks.append(after) }
        for number in 1...5 as ClosedRange<Int64> {
            driver.hear(.message(Device.numbered(number)))
            driver.serve(from: &disk) { after, _ in disks.append(after) }
        }
        return disks
    }

    /// What is on the pages but this one. A page that the contents do not name yet is not known to be whole.
    private static func texts(on disk: Disk<Chat>, without lost: Chat.Key?) -> Set<String> {
        var newest = Int64.max
        if case .contents(let contents) = disk[Device.contentsKey] { newest = contents.newestPage }
        var texts: Set<String> = []
        for page in 0...2 as ClosedRange<Int64> where page <= newest && Device.pageKey(page) != lost {
            guard case .page(let stored) = disk[Device.pageKey(page)] else { continue }
            for message in stored.messages {
                texts.insert(message.id.map { String($0.text.string.dropFirst()) } ?? "mine")
            }
        }
        return texts
    }

    @Test(
        "R5, L5: whatever single record is gone at any moment, this launch and the next find what the others have",
        arguments: Loss.allCases, [false, true])
    func one(loss: Loss, hearsMore: Bool) {
        let keys: [Chat.Key?] = [
            nil, Device.contentsKey, Device.pageKey(0), Device.pageKey(1), Device.pageKey(2),
        ]
        for before in Self.story() {
            for key in keys {
                if let key, before[key] == nil { continue }
                var disk = before
                if let key, loss == .missing { disk[key] = nil }
                var damaged: [Chat.Key] = []
                if let key, loss == .damaged { damaged = [key] }
                let texts = Self.texts(on: before, without: key)
                let second = Self.launch(&disk, seed: 2, damaged: damaged, hearsMore: hearsMore)
                #expect(texts.isSubset(of: second.texts), "the launch without \(String(describing: key))")
                let third = Self.launch(&disk, seed: 3)
                #expect(
                    texts.union(hearsMore ? ["more"] : []).isSubset(of: third.texts),
                    "the launch after the one without \(String(describing: key))")
            }
        }
    }

    @Test("R5, L5, P10: pages without contents are found again after a sign-out, and not written over")
    func signedInAgain() {
        guard var disk = Self.story().last else { return }
        disk[Device.contentsKey] = nil
        var driver = Self.launch(&disk, seed: 2)
        driver.send(.signedOut)
        driver.serve(from: &disk)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.scrollUp(3, on: &disk)
        #expect(driver.texts == ["mine", "1", "2", "3", "4", "5"])
    }

    // MARK: Pages

    /// Fifteen replies on pages of five.
    private static func threePages() -> Disk<Chat> {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 5 }
        driver.send(.shown)
        driver.finishConnecting()
        for number in 1...15 as ClosedRange<Int64> { driver.hear(.message(Device.numbered(number))) }
        driver.serve(from: &disk)
        return disk
    }

    @Test(
        "R5, C21: pages that are gone are told once, hide no other page from any launch, and are asked for once",
        arguments: [
            (.damaged, [0]), (.damaged, [1]), (.damaged, [2]), (.damaged, [0, 1]), (.damaged, [0, 2]),
            (.damaged, [1, 2]), (.missing, [0]), (.missing, [1]), (.missing, [0, 1]),
        ] as [(Loss, [Int64])])
    func pagesGone(loss: Loss, pages: [Int64]) {
        var disk = Self.threePages()
        let keys = pages.map { Device.pageKey($0) }
        if loss == .missing { for key in keys { disk[key] = nil } }
        let texts = (1...15 as ClosedRange<Int64>).filter { !pages.contains(($0 - 1) / 5) }.map { "\($0)" }
        let second = Self.launch(&disk, seed: 2, pageLength: 5, damaged: loss == .damaged ? keys : [])
        #expect(second.texts == texts && second.state.conversation.banner == .notRestored(.damaged))
        var third = Self.launch(&disk, seed: 3, pageLength: 5)
        #expect(third.texts == texts && third.state.conversation.banner == nil)
        third.send(.olderRequested)
        #expect(!Chat.hasOlder(third.state) && third.storage.isEmpty)
    }

    @Test(
        "R5, C21: a damaged page hides no other from the next launch when a full disk takes none in its place",
        arguments: [0, 1, 2] as [Int64])
    func damagedOnFullDisk(page: Int64) {
        var disk = Self.threePages()
        let texts = (1...15 as ClosedRange<Int64>).filter { ($0 - 1) / 5 != page }.map { "\($0)" }
        let second = Self.launch(
            &disk, seed: 2, pageLength: 5, damaged: [Device.pageKey(page)], isFull: true)
        #expect(second.texts == texts)
        for seed in 3...4 as ClosedRange<UInt64> {
            #expect(Self.launch(&disk, seed: seed, pageLength: 5).texts == texts)
        }
    }

    @Test("C5, R5, L5: a reset before pages are stored leaves no number out, so that a search finds all")
    func resetBeforeStored() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.hearReplies(1...6)  // the first page is being saved, and two wait
        driver.loseAndReconnect(isReset: true)
        driver.sayRefused("mine", &disk)
        disk[Device.contentsKey] = nil
        disk[Device.outboxKey] = nil
        #expect(Self.launch(&disk, seed: 2).texts.contains("mine"))
    }
}
