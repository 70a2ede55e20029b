// The store on disk: what a process that starts again finds, what others may see of it, and what happens
// when the disk or what is on it is not as it should be. It runs as root too, for whom no file is closed, so
// missing rights are also shown by making a step fail with their error.

import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

@Suite("Store on disk")
final class FileStoreTests {
    static let ticket = StorageTicket(7)
    let draft = RecordPath(["user", "draft"])
    let token = RecordPath(["user", "token"], protection: .secret)
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    deinit { try? FileManager.default.removeItem(at: directory) }

    // MARK: Records

    @Test("a process that starts again reads what was written")
    func restart() throws {
        var store = try reopened(nil)
        #expect(store.load(draft) == .missing(Self.ticket))
        #expect(store.save([1, 2], draft) == .saved(Self.ticket))
        #expect(store.save([], RecordPath(["user"])) == .saved(Self.ticket))
        let large = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(store.save(large, RecordPath(["large"])) == .saved(Self.ticket))
        store = try reopened(consume store)
        #expect(store.load(draft) == .loaded(Self.ticket, [1, 2]))
        #expect(store.load(RecordPath(["user"])) == .loaded(Self.ticket, []))
        #expect(store.load(RecordPath(["large"])) == .loaded(Self.ticket, large))
    }

    @Test("hostile components are names like any other, as a record and as a directory")
    func hostileComponents() throws {
        var store = try reopened(nil)
        for (index, name) in FileNameTests.hostile.enumerated() {
            let byte = UInt8(index)
            #expect(store.save([byte], RecordPath([name])) == .saved(Self.ticket))
            #expect(store.save([byte, 1], RecordPath([name, "below"])) == .saved(Self.ticket))
        }
        store = try reopened(consume store)
        for (index, name) in FileNameTests.hostile.enumerated() {
            let byte = UInt8(index)
            #expect(store.load(RecordPath([name])) == .loaded(Self.ticket, [byte]))
            #expect(store.load(RecordPath([name, "below"])) == .loaded(Self.ticket, [byte, 1]))
        }
        let parent = directory.deletingLastPathComponent().path
        #expect(!FileManager.default.fileExists(atPath: parent + "/a.record"))
        for name in FileNameTests.hostile { #expect(store.erase(RecordPath([name])) == .erased(Self.ticket)) }
        #expect(try files() == ["lock"])
    }

    @Test("a path of long components is no problem, one without end is refused")
    func longPaths() throws {
        let store = try reopened(nil)
        let name = ExactText(String(repeating: "😀", count: 1_000))
        let deep = RecordPath(Array(repeating: name, count: 32))
        #expect(store.save([1], deep) == .saved(Self.ticket))
        #expect(store.load(deep) == .loaded(Self.ticket, [1]))
        let deeper = RecordPath(deep.components + ["x"])
        #expect(store.save([1], deeper) == .failed(Self.ticket, .unavailable))
        #expect(store.load(deeper) == .missing(Self.ticket))
        #expect(store.erase(RecordPath([name])) == .erased(Self.ticket))
        #expect(try files() == ["lock"])
    }

    @Test(
        "P10: an erase takes a record, the copies set aside of it and its folder, all below, and nothing beside"
    )
    func eraseBelow() throws {
        let store = try reopened(nil)
        try plant([4], "user.below")
        #expect(store.load(draft) == .failed(Self.ticket, .damaged))
        #expect(try files() == ["lock", "user.below.damaged-1"])
        for name in [["user"], ["user", "draft"], ["user", "draft", "more"], ["user2"], ["us"]] {
            _ = store.save([1], RecordPath(name.map { ExactText($0) }))
        }
        _ = store.save(Secret("t"), token)
        _ = store.save(Secret("t"), RecordPath(["user"], protection: .secret))
        _ = store.carryOut(.setAside(RecordPath(["user"])))
        #expect(store.erase(RecordPath(["user"])) == .erased(Self.ticket))
        #expect(try files() == ["lock", "us.record", "user2.record"])
        #expect(store.secret(at: token) == nil)
        #expect(store.erase(RecordPath(["user"])) == .erased(Self.ticket))
        #expect(store.erase(RecordPath([])) == .erased(Self.ticket))
        #expect(try files() == ["lock"])
        #expect(store.save([1], RecordPath([])) == .failed(Self.ticket, .unavailable))
    }

    // MARK: Secrets

    @Test("L10: a secret is in no outcome, and comes back from disk only by a load")
    func secret() throws {
        var store = try reopened(nil)
        #expect(store.save(Secret("töken"), token) == .saved(Self.ticket))
        #expect(store.secret(at: token) == Secret("töken"))
        store = try reopened(consume store)
        #expect(store.secret(at: token) == nil)
        #expect(store.load(token) == .loaded(Self.ticket, []))
        #expect(store.secret(at: token) == Secret("töken"))
        #expect(store.load(RecordPath(token.components)) == .missing(Self.ticket))
        #expect(store.save(Secret("t"), draft) == .failed(Self.ticket, .unavailable))
        #expect(try files() == ["lock", "user.below", "user.below/token.secret"])
    }

    @Test("P4: a secret that could not be saved is usable until the process ends")
    func unsavedSecret() throws {
        var store = try FileStore(directory: directory) { $0 == .write ? ENOSPC : nil }
        #expect(store.save(Secret("new"), token) == .failed(Self.ticket, .full))
        #expect(store.load(token) == .missing(Self.ticket))
        #expect(store.secret(at: token) == Secret("new"))
        store = try reopened(consume store)
        #expect(store.load(token) == .missing(Self.ticket))
        #expect(store.secret(at: token) == nil)
    }

    @Test("a secret that is no text is damaged, and is set aside")
    func damagedSecret() throws {
        let store = try reopened(nil)
        _ = store.save(Secret("x"), RecordPath(["token"], protection: .secret))
        try plant([0xFF], "other.secret")
        let other = RecordPath(["other"], protection: .secret)
        #expect(store.load(other) == .failed(Self.ticket, .damaged))
        #expect(store.secret(at: other) == nil)
        #expect(try files() == ["lock", "other.secret.damaged-1", "token.secret"])
    }

    // MARK: Rights

    @Test("the owner alone can read: directories 0700, files 0600")
    func permissions() throws {
        let nested = directory.appendingPathComponent("state/of/chat")
        let store = try FileStore(directory: nested)
        _ = store.save([1], draft)
        _ = store.save(Secret("t"), token)
        for name in try files() + ["."] {
            let path = directory.appendingPathComponent(name).path
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(attributes[.posixPermissions] as? Int == (isDirectory ? 0o700 : 0o600), "\(name)")
        }
    }

    @Test("P1: unreadable is not missing")
    func unreadable() throws {
        let store = try reopened(nil)
        _ = store.save([1], draft)
        let record = directory.appendingPathComponent("user.below/draft.record").path
        chmod(record, 0)
        let mayAnyway = access(record, R_OK) == 0  // root
        let expected: Outcome =
            mayAnyway ? .loaded(Self.ticket, [1]) : .failed(Self.ticket, .unreadable)
        #expect(store.load(draft) == expected)
    }

    // MARK: Failures

    @Test("a write that fails at any step leaves the old record or the new one", arguments: FileStep.allCases)
    func failingStep(_ step: FileStep) throws {
        var store = try reopened(nil)
        _ = store.save([1], draft)
        let codes: [(Int32, StorageFailure)] = [
            (ENOSPC, .full), (EDQUOT, .full), (EACCES, .unreadable), (EPERM, .unreadable), (EIO, .unreadable),
            (EROFS, .unavailable),
        ]
        for (code, failure) in codes {
            store = try reopened(consume store) { $0 == step ? code : nil }
            #expect(store.save([2], draft) == .failed(Self.ticket, failure))
            let survivor: [UInt8] = step == .flushDirectory ? [2] : [1]
            #expect(store.load(draft) == .loaded(Self.ticket, survivor))
            #expect(try files() == ["lock", "user.below", "user.below/draft.record"])
        }
        store = try reopened(consume store)
        #expect(store.save([3], draft) == .saved(Self.ticket))
    }

    @Test("an erase that is not durable is not answered as one")
    func failingErase() throws {
        let store = try FileStore(directory: directory) { $0 == .flushDirectory ? EIO : nil }
        _ = store.save([1], RecordPath(["a"]))
        #expect(store.erase(RecordPath(["a"])) == .failed(Self.ticket, .unreadable))
        #expect(store.erase(RecordPath([])) == .failed(Self.ticket, .unreadable))
    }

    @Test("a half-written file of a dead process is no record, and goes at the next start, however deep")
    func unfinished() throws {
        var store = try reopened(nil)
        _ = store.save([1], draft)
        let deepest = String(repeating: "a.below/", count: 31)
        try plant([9], deepest + "page.record.writing")
        try plant([9], deepest + "old.erased/y.record")
        try plant([9], "user.below/draft.record.writing")
        try plant([9], "user.below/none.record.writing")
        try plant([9], "old.erased/x.below/y.record")
        #expect(store.load(draft) == .loaded(Self.ticket, [1]))
        #expect(store.load(RecordPath(["user", "none"])) == .missing(Self.ticket))
        #expect(store.save([2], draft) == .saved(Self.ticket))
        store = try reopened(consume store)
        #expect(try files().filter { !$0.hasSuffix(".below") } == ["lock", "user.below/draft.record"])
        #expect(store.load(draft) == .loaded(Self.ticket, [2]))
    }

    @Test("R5: records set aside are kept, the newest four, and overwrite nothing")
    func setAside() throws {
        let store = try reopened(nil)
        let path = RecordPath(["a"])
        for byte in 1...6 as ClosedRange<UInt8> {
            _ = store.save([byte], path)
            #expect(store.carryOut(.setAside(path)) == nil)
            #expect(store.load(path) == .missing(Self.ticket))
        }
        #expect(store.carryOut(.setAside(path)) == nil)
        #expect(
            try files() == [
                "a.record.damaged-1", "a.record.damaged-2", "a.record.damaged-3",
                "a.record.damaged-4", "lock",
            ])
        for number in 1...4 {
            let file = directory.appendingPathComponent("a.record.damaged-\(number)")
            #expect(try Array(Data(contentsOf: file)) == [UInt8(number + 2)])
        }
    }

    @Test("R5: something else in the place of a record is damaged, is set aside, and is not written over")
    func wrongKinds() throws {
        let store = try reopened(nil)
        try plant([1], "a.record/inside")
        #expect(store.load(RecordPath(["a"])) == .failed(Self.ticket, .damaged))
        #expect(store.load(RecordPath(["a"])) == .missing(Self.ticket))
        try plant([2], "a.record/inside")
        #expect(store.save([3], RecordPath(["a"])) == .saved(Self.ticket))
        #expect(store.load(RecordPath(["a"])) == .loaded(Self.ticket, [3]))

        try plant([4], "b.below")
        #expect(store.load(RecordPath(["b", "c"])) == .failed(Self.ticket, .damaged))
        try plant([5], "b.below")
        #expect(store.save([6], RecordPath(["b", "c"])) == .saved(Self.ticket))

        mkfifo(directory.appendingPathComponent("f.record").path, 0o600)
        #expect(store.load(RecordPath(["f"])) == .failed(Self.ticket, .damaged))
        #expect(
            try files() == [
                "a.record", "a.record.damaged-1", "a.record.damaged-1/inside", "a.record.damaged-2",
                "a.record.damaged-2/inside", "b.below", "b.below.damaged-1", "b.below.damaged-2",
                "b.below/c.record", "f.record.damaged-1", "lock",
            ])
    }

    @Test("nothing is read, written or erased through a symbolic link below the directory")
    func links() throws {
        let store = try reopened(nil)
        try plant([1], "outside/x.record")
        let outside = directory.appendingPathComponent("outside")
        let manager = FileManager.default
        try manager.createSymbolicLink(
            at: directory.appendingPathComponent("u.below"), withDestinationURL: outside)
        try manager.createSymbolicLink(
            at: directory.appendingPathComponent("v.record"),
            withDestinationURL: outside.appendingPathComponent("x.record"))
        #expect(store.load(RecordPath(["v"])) == .failed(Self.ticket, .damaged))
        #expect(store.erase(RecordPath(["u"])) == .erased(Self.ticket))
        try manager.createSymbolicLink(
            at: directory.appendingPathComponent("u.below"), withDestinationURL: outside)
        #expect(store.load(RecordPath(["u", "x"])) == .failed(Self.ticket, .damaged))
        #expect(try Array(Data(contentsOf: outside.appendingPathComponent("x.record"))) == [1])
    }

    // MARK: The directory

    @Test("a second store on one directory is refused until the first is gone")
    func locking() throws {
        var store: FileStore? = try reopened(nil)
        _ = store?.save([1], draft)
        let refusal = #expect(throws: FileStoreError.self) { try FileStore(directory: self.directory) }
        #expect(refusal?.reason == .inUse)
        #expect(refusal?.description.contains("in use by another process") == true)
        #expect(store?.load(draft) == .loaded(Self.ticket, [1]))
        store = nil
        #expect(try FileStore(directory: directory).load(draft) == .loaded(Self.ticket, [1]))
    }

    @Test("a state directory that is no directory, or cannot be made, is a clear failure")
    func badDirectories() throws {
        let file = directory.appendingPathComponent("file")
        try plant([1], "file")
        for place in [file, file.appendingPathComponent("below/more")] {
            let refusal = #expect(throws: FileStoreError.self) { try FileStore(directory: place) }
            #expect(refusal?.reason == .notADirectory)
            #expect(refusal?.path == place.path)
        }
        let web = try #require(URL(string: "https://example.org/state"))
        let refusal = #expect(throws: FileStoreError.self) { try FileStore(directory: web) }
        #expect(refusal?.reason == .notADirectory)
        let long = directory.appendingPathComponent(String(repeating: "x", count: 300))
        let tooLong = #expect(throws: FileStoreError.self) { try FileStore(directory: long) }
        #expect(tooLong?.reason == .unavailable(code: ENAMETOOLONG))
    }

    @Test("a state directory may be reached through a symbolic link")
    func linkedDirectory() throws {
        let link = directory.appendingPathComponent("link")
        try plant([1], "real/x.record")
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: directory.appendingPathComponent("real"))
        #expect(try FileStore(directory: link).load(RecordPath(["x"])) == .loaded(Self.ticket, [1]))
    }

    // MARK: Model

    @Test(
        "random operations get the same answers as from a store in memory", arguments: [1, 2, 3] as [UInt64])
    func model(seed: UInt64) throws {
        var entropy = Entropy.seeded(seed)
        var model = MemoryStore()
        var store = try reopened(nil)
        let names: [ExactText] = ["a", "A", "../a", ""]
        for step in 0..<150 {
            let depth = entropy.next() % 3 + (entropy.next() % 8 == 0 ? 0 : 1)
            let components = (0..<depth).map { _ in names[Int(entropy.next() % 4)] }
            let protection: RecordPath.Protection = entropy.next() % 4 == 0 ? .secret : .plain
            let path = RecordPath(components, protection: protection)
            let secret = Secret(ExactText("\(step)"))
            switch entropy.next() % 10 {
            case 0...3:
                #expect(store.save([UInt8(step)], path) == model.save([UInt8(step)], path), "step \(step)")
            case 4: #expect(store.save(secret, path) == model.save(secret, path), "step \(step)")
            case 5...6: #expect(store.load(path) == model.load(path), "step \(step)")
            case 7: #expect(store.erase(path) == model.erase(path), "step \(step)")
            case 8: #expect(store.carryOut(.setAside(path)) == model.carryOut(.setAside(path)))
            default:
                store = try reopened(consume store)
                model = model.restarted()
            }
            #expect(store.secret(at: path) == model.secret(at: path), "step \(step)")
        }
        for path in model.paths { #expect(store.load(path) == model.load(path)) }
        let records = try files().filter { $0.hasSuffix(".record") || $0.hasSuffix(".secret") }
        #expect(records.count == model.paths.count)
    }
}
