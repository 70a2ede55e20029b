// A person with a device, a disk and a server behind one socket, all drawn from one seed. The process may die between
// any two saves. Start with `step`; SocketWorldChecks.swift lets everything work again and looks at the screen.

@testable import ChatDomain

struct SocketWorld {
    /// What may go wrong.
    enum Trouble: String, CaseIterable {
        case failures, refusals, relaunch, reset, refusedCursor, elsewhere, pages, stop, delete, slow
    }

    var driver: Driver<Chat>
    var disk = Disk<Chat>()
    var server: SocketServer
    private var dice: Entropy
    let troubles: Set<Trouble>
    /// The frames that have not arrived yet, and how many of the driver's were taken.
    private(set) var frames: [Chat.Frame] = []
    private var taken = 0
    /// The open connection.
    private var live: Chat.Call?
    /// The messages of the person that are not deleted.
    private(set) var written: [(client: ClientID, text: ExactText)] = []
    /// The message of each key that was sent.
    private(set) var owners: [ClientID: ClientID] = [:]
    /// What the person's other device has said.
    private(set) var elsewhere: [ExactText] = []
    /// The messages whose reply the person may have stopped.
    private(set) var stopped: Set<ClientID> = []
    /// What happened, for the reader of a failure.
    private(set) var story: [String] = []

    init(seed: UInt64, _ troubles: Set<Trouble>) {
        dice = .seeded(seed)
        self.troubles = troubles
        server = SocketServer(namesKeys: dice.below(4) == 0)
        driver = Self.device(seed, troubles)
        driver.send(.signedIn(Driver<Chat>.account))
        driver.send(.shown)
    }

    private static func device(_ seed: UInt64, _ troubles: Set<Trouble>) -> Driver<Chat> {
        .fresh(seed: seed) { if troubles.contains(.pages) { $0.pageLength = 4 } }
    }

    private mutating func may(_ trouble: Trouble, oneOf chances: Int) -> Bool {
        troubles.contains(trouble) && dice.below(chances) == 0
    }

    mutating func note(_ line: String) { story.append(line) }

    mutating func step() {
        switch dice.below(22) {
        case 0, 1: write()
        case 2, 3, 4, 5: store()
        case 6, 7, 8, 9, 10: deliver()
        case 11, 12, 13: arrive()
        case 14, 15: work()
        case 16: wait()
        case 17: retry()
        case 18: if dice.below(2) == 0 { lose() }
        case 19: if may(.relaunch, oneOf: 3) { relaunch() }
        case 20: if may(.elsewhere, oneOf: 3) { speakElsewhere() }
        default: meddle()
        }
        look()
    }

    // MARK: The person

    private mutating func write() {
        let texts: [ExactText] = ["ok", "hi", "ok", "hi", ExactText("t\(story.count)")]
        let text = texts[dice.below(5)]
        guard driver.draft.isEmpty else { return }
        driver.send(.draftEdited(text))
        driver.send(.sent)
        guard let entry = driver.state.conversation.outbox.queue.elements.last?.entry else { return }
        written.append((entry.client, text))
        note("write \(text) as \(entry.client.tail)")
    }

    private mutating func retry() {
        let offers = driver.rows.filter { $0.offer == .retry }
        guard !offers.isEmpty else { return }
        let row = offers[dice.below(offers.count)]
        note("retry at \(row.text)")
        driver.send(.retried(row.id))
    }

    private mutating func meddle() {
        if may(.stop, oneOf: 3) {
            note("stop")
            stopped.formUnion(written.map { $0.client })
            driver.send(.waitingStopped)
        }
        // The end of the process during a replay of all undoes a deletion.
        if driver.state.conversation.pushed.retelling == nil, may(.delete, oneOf: 4) {
            let own = driver.rows.filter { $0.role == .user }
            guard !own.isEmpty else { return }
            let row = own[dice.below(own.count)]
            guard case .written(let client) = row.id else { return }
            note("delete \(row.text) \(client.tail)")
            driver.send(.deleted(row.id))
            written.removeAll { $0.client == client }
            driver.serve(from: &disk)
        }
        if may(.pages, oneOf: 2) { driver.send(.olderRequested) }
    }

    private mutating func speakElsewhere() {
        let texts: [ExactText] = ["ok", "hi", ExactText("e\(story.count)")]
        let text = texts[dice.below(3)]
        note("elsewhere \(text)")
        elsewhere.append(text)
        server.hear(text, at: driver.context.wall)
    }

    // MARK: The device

    private mutating func store() {
        guard let operation = driver.storage.first else { return }
        note("store \(Self.describe(operation))")
        driver.answer(operation.key, with: disk.carryOut(operation))
    }

    private static func describe(_ operation: Driver<Chat>.Pending) -> String {
        switch (operation.key, operation.work) {
        case (_, .load): "load \(operation.key)"
        case (.outbox, .save(.outbox(let entries))): "outbox \(entries.map { $0.key.tail })"
        case (.page(_, _, let page), .save(.page(let content))):
            "page \(page): \(content.messages.map { "\($0.id?.text ?? "-") \($0.client?.tail ?? "")" })"
        case (.draft, _): "draft"
        case (.contents, .save(.contents(let c))): "contents \(c.oldestPage)...\(c.newestPage)"
        default: "other"
        }
    }

    private mutating func wait() {
        while !driver.storage.isEmpty { store() }
        let time: Interval =
            may(.slow, oneOf: 3) ? .seconds(Int64(dice.below(90))) : .milliseconds(Int64(dice.below(3_000)))
        note("wait \(time)")
        driver.advance(by: time)
    }

    private mutating func relaunch() {
        let pending = driver.storage
        var count = 0
        for operation in pending.prefix(dice.below(pending.count + 1)) {
            if case .load = operation.work { continue }
            note("  kept \(Self.describe(operation))")
            _ = disk.carryOut(operation)
            count += 1
        }
        note("relaunch after \(count) of \(pending.count)")
        loseFrames()
        server.disconnect()
        written = written.filter { isKept($0.client, $0.text) }
        let moment = driver.context.moment
        driver = Self.device(dice.next(), troubles)
        driver.context.moment = moment
        (taken, live) = (0, nil)
        driver.send(.signedIn(Driver<Chat>.account))
        driver.send(.shown)
    }

    /// Whether the disk or the server has a message.
    private func isKept(_ client: ClientID, _ text: ExactText) -> Bool {
        disk.records.contains { entry in
            switch entry.record {
            case .draft(let draft, _, _): draft.string.lines.contains(text.string)
            case .outbox(let entries): entries.contains { $0.client == client }
            case .page(let page): page.messages.contains { $0.client == client }
            case .conversations, .pacing, .contents, .attachment: false
            }
        } || owners.contains { $0.value == client && server.accepted.contains($0.key) }
    }

    // MARK: The network

    private mutating func lose() {
        guard let call = live else { return }
        note("lose")
        loseFrames()
        server.disconnect()
        live = nil
        driver.end(call, .failed(.lost))
    }

    /// Of the frames under way, some first ones arrive.
    private mutating func loseFrames() {
        for _ in 0..<dice.below(frames.count + 1) { arrive() }
        if !frames.isEmpty { note("\(frames.count) frames are lost") }
        frames = []
    }

    mutating func arrive() {
        guard !frames.isEmpty else { return }
        let frame = frames.removeFirst()
        if case .say(let key, _, let text, _) = frame { note("the server gets \(text) as \(key.tail)") }
        server.receive(
            frame, at: driver.context.wall, refuses: may(.refusals, oneOf: 8), echoesFirst: dice.below(4) == 0
        )
    }

    mutating func work(failing: Bool = true) {
        let works: [SocketServer.Work] = [.endEmpty, .failReply, .failQuestion]
        let good: [SocketServer.Work] = [.begin, .grow, .finish, .finish]
        let fails = failing && may(.failures, oneOf: 3)
        let work = fails ? works[dice.below(3)] : good[dice.below(4)]
        if !server.isIdle { note("the server: \(work)") }
        server.work(work, at: driver.context.wall)
    }

    mutating func deliver() {
        guard let call = live, let event = server.deliver() else { return }
        note("hear \(Self.describe(event))")
        driver.send(.received(event, on: call))
    }

    private static func describe(_ event: Chat.Event) -> String {
        switch event {
        case .message(let message):
            "\(message.wrappedValue.id) \(message.wrappedValue.text)\(message.wrappedValue.isGrowing ? "…" : "")"
        case .acknowledged(let key): "ack \(key.tail)"
        case .rejected(let key, _): "rejected \(key.tail)"
        default: "\(event)"
        }
    }

    /// Takes up what the device has asked the network for.
    mutating func look() {
        for sent in driver.sent.dropFirst(taken) {
            taken += 1
            guard case .say(let key, _, _, _) = sent.frame else { continue }
            if let client = driver.state.conversation.transcript.message(key)?.client { owners[key] = client }
            if sent.call == live { frames.append(sent.frame) }
        }
        guard driver.socket != live else { return }
        loseFrames()
        server.disconnect()
        live = driver.socket
        guard let open = driver.calls.last(where: { $0.call == live }),
            case .connect(_, _, let cursors) = open.request
        else { return }
        let (isReset, refuses) = (may(.reset, oneOf: 3), may(.refusedCursor, oneOf: 3))
        let cursor = cursors.first { $0.conversation == .main }?.last
        note("connect after \(cursor as Any)\(isReset ? " reset" : "")\(refuses ? " refused" : "")")
        server.connect(
            after: cursor, isReset: isReset, refusesCursor: refuses, at: driver.context.wall)
    }
}

extension ClientID {
    /// The last characters, which tell keys apart in a story.
    var tail: String { String("\(self)".suffix(8)) }
}
