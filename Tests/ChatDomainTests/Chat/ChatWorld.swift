// A person, a device with a disk, and a model server, all drawn from one seed. The device may die at any step;
// of the saves that it had asked for, some first ones are on the disk then. What must hold after each step is
// checked here; what must hold in the end is checked once everything works again.

@testable import ChatDomain

struct ChatWorld {
    var driver: Driver<Chat>
    var disk = Disk<Chat>()
    var server: ModelServer
    var dice: Entropy
    /// Every text that was sent and has been seen on the disk, with the server, or since this launch.
    private(set) var texts: [String] = []
    private(set) var complaints: [String] = []
    /// Where each of them was written.
    private var homes: [String: ConversationID] = [:]
    /// Texts that the person has deleted since, and that nothing may bring back.
    private var deleted: [String] = []
    /// Texts that a bad disk holds as unsent although they have gone inside another message.
    private var forgotten: [String] = []
    private var socket: Chat.Call?
    private var heardFrames = 0
    private(set) var launches: UInt64 = 0
    private var written = 0
    /// Whether saves may fail.
    let hasBadDisk: Bool

    init(seed: UInt64, hasBadDisk: Bool = false) {
        self.hasBadDisk = hasBadDisk
        var dice = Entropy.seeded(seed)
        server = ModelServer(namesClients: dice.below(2) == 0, sendsDeltas: dice.below(2) == 0)
        driver = Self.device(seed: seed)
        self.dice = dice
        driver.send(.signedIn(Driver<Chat>.account))
        driver.send(.shown)
    }

    private static let conversationLimit: Int64 = 4

    private static func device(seed: UInt64) -> Driver<Chat> {
        .fresh(seed: seed) {
            $0.pageLength = 4
            $0.conversationLimit = conversationLimit
            $0.authentications = .unlimited
            $0.backoff.limit = 1_000_000
        }
    }

    mutating func step() {
        switch dice.below(27) {
        case 0, 1, 2: write()
        case 3, 4, 5, 6, 7: store()
        case 8, 9, 10, 11, 12, 13: deliver()
        case 14, 15: server.goOn(&dice)
        case 16: driver.advance(by: .milliseconds(Int64(dice.below(1_000))))
        case 17: wait()
        case 18: loseConnection()
        case 19: wander()
        case 20: if dice.below(3) == 0 { relaunch() }
        case 21: driver.send(.networkChanged(isUp: dice.below(3) > 0))
        case 22: if dice.below(3) == 0 { speakElsewhere() }
        case 23: if dice.below(3) == 0 { delete() }
        case 24: signal()
        case 25: turn()
        default: driver.send(dice.below(2) == 0 ? .olderRequested : .bannerDismissed)
        }
        exchange()
        check()
    }

    // MARK: What happens

    private mutating func write() {
        written += 1
        let text = "t\(written)."
        let rest = driver.draft.string
        guard rest.isEmpty else {
            // A person does not send again what stands there already.
            let new = rest.lines.filter { server.count(of: $0) == 0 && shownCount($0) == 0 }
            driver.send(.draftEdited(ExactText(new.joined(separator: "\n"))))
            sendDraft(driver.draft.string)
            return
        }
        driver.send(.draftEdited(ExactText(text)))
        sendDraft(text)
    }

    private mutating func sendDraft(_ text: String) {
        let count = driver.state.conversation.outbox.queue.count
        driver.send(.sent)
        if driver.state.conversation.outbox.queue.count > count {
            for line in text.lines where !texts.contains(line) {
                texts.append(line)
                homes[line] = driver.state.conversation.id
            }
        }
    }

    private mutating func speakElsewhere() {
        let known = conversations
        server.speakElsewhere(
            ExactText("e\(dice.below(1_000_000))"), in: known[dice.below(known.count)].id)
    }

    /// The person begins, turns to or closes a conversation.
    private mutating func turn() {
        let known = conversations
        let one = known[dice.below(known.count)].id
        switch dice.below(4) {
        case 0: driver.send(.conversationCreated(title: "c"))
        case 1: driver.send(.conversationClosed(one))
        default: driver.send(.conversationSwitched(to: one))
        }
    }

    /// Every conversation, as its screen would show it.
    private var conversations: [(id: ConversationID, rows: [Chat.Row], draft: [String])] {
        ([driver.state.conversation] + driver.state.others).map { conversation in
            var view = driver.state
            view.conversation = conversation
            return (
                conversation.id, Chat.rows(view, newest: 100_000, .neutral),
                conversation.draft.text.string.lines
            )
        }
    }

    /// The person deletes a message that may be anywhere on its way.
    private mutating func delete() {
        let own = driver.rows.filter { $0.role == .user && $0.text.string.hasPrefix("t") }
        guard !own.isEmpty else { return }
        let row = own[dice.below(own.count)]
        driver.send(.deleted(row.id))
        texts.removeAll { row.text.string.lines.contains($0) }
        if !hasBadDisk { deleted += row.text.string.lines }
    }

    /// What changes no message: typing, gaps, and where the person looks.
    private mutating func signal() {
        guard let socket else { return }
        switch dice.below(4) {
        case 0:
            driver.send(
                .received(
                    .typing(isActive: dice.below(3) > 0, at: nil, in: driver.state.list.entries[0].id),
                    on: socket))
        case 1: driver.send(.received(.gap, on: socket))
        case 2: driver.send(.received(.refetched, on: socket))
        default: driver.send(.scrolled(isAtEnd: dice.below(2) == 0))
        }
    }

    private mutating func store() {
        guard let operation = driver.storage.first else { return }
        if hasBadDisk, case .save = operation.work, dice.below(3) == 0 {
            driver.answer(operation.key, with: .failed(.full))
        } else {
            driver.answer(operation.key, with: disk.carryOut(operation))
        }
    }

    /// A long time passes; a good disk does not take that long.
    private mutating func wait() {
        if !hasBadDisk { driver.serve(from: &disk) }
        driver.advance(by: .seconds(Int64(dice.below(50))))
    }

    private mutating func deliver() {
        guard let socket, !server.line.isEmpty else { return }
        driver.send(.received(server.line.removeFirst(), on: socket))
    }

    private mutating func loseConnection() {
        guard let socket else { return }
        let ends: [CallEnd] = [
            .failed(.lost), .failed(.offline), .closed(code: 1_006, reason: ""), .completed,
            .refused(status: 503, retryAfter: .seconds(Int64(dice.below(40))), message: ""),
        ]
        hangUp()
        driver.end(socket, ends[dice.below(ends.count)])
    }

    private mutating func wander() {
        switch dice.below(6) {
        case 0: driver.send(.left)
        case 1, 2: driver.send(.shown)
        case 3: driver.send(.backgrounded)
        case 4: driver.send(.foregrounded)
        default: driver.send(.reconnectRequested)
        }
    }

    /// The process ends and begins anew, with some first part of what was to be saved on the disk.
    private mutating func relaunch() {
        // A deletion that was not stored may be forgotten.
        if !driver.storage.isEmpty { deleted = [] }
        for operation in driver.storage.prefix(dice.below(driver.storage.count + 1)) {
            if case .save = operation.work { _ = disk.carryOut(operation) }
        }
        if hasBadDisk { forgotten += textsHeldAsUnsent }
        hangUp()
        launches += 1
        texts = texts.filter { server.count(of: $0) > 0 || isOnDisk($0) }
        var next = Self.device(seed: dice.next())
        next.context.moment = Moment(
            now: driver.context.now, wall: driver.context.wall + .seconds(Int64(dice.below(200)) - 100))
        heardFrames = 0
        driver = next
        driver.send(.signedIn(Driver<Chat>.account))
        if dice.below(2) == 0 { driver.send(.shown) }
    }

    /// What went although this disk says that it did not: it was given back because the disk was silent, went as
    /// another message, and was stored only after that; or the disk refused to take down that it was on a wire, and the
    /// server does not name it in its echo. Who begins anew from this disk sends it again, because nothing there says
    /// otherwise.
    private var textsHeldAsUnsent: [String] {
        disk.records.flatMap { entry -> [String] in
            guard case .outbox(let entries) = entry.record else { return [] }
            return entries.flatMap { unsent in
                unsent.text.string.lines.filter { line in
                    server.log.contains {
                        $0.role == .user && $0.text.string.lines.contains(line)
                            && ($0.text != unsent.text || server.namesClients && $0.client != unsent.key
                                || !server.namesClients && !unsent.wasSent)
                    }
                }
            }
        }
    }

    private func isOnDisk(_ text: String) -> Bool {
        disk.records.contains { entry in
            switch entry.record {
            case .conversations, .pacing: false
            case .draft(let draft, _, _): draft.string.lines.contains(text)
            case .outbox(let entries): entries.contains { $0.text.string.lines.contains(text) }
            case .page, .contents, .attachment: false
            }
        }
    }

    /// What was sent on the socket reaches the server, or the socket breaks first.
    private mutating func exchange() {
        if driver.calls.last?.call != socket {
            server.line = []
            socket = driver.calls.last?.call
            if socket != nil { server.welcome(after: driver.askedCursors) }
        }
        while heardFrames < driver.sent.count {
            let frame = driver.sent[heardFrames]
            heardFrames += 1
            guard frame.call == socket, case .say(let client, let home, let text, _) = frame.frame else {
                continue
            }
            if dice.below(8) == 0 { return loseConnection() }
            server.take(client, in: home, text, device: "device-1", &dice)
        }
    }

    private mutating func hangUp() {
        server.line = []
        socket = nil
        heardFrames = driver.sent.count
    }

    // MARK: What must hold

    private mutating func check() {
        if let stuck = driver.stuckSpinner { complain("L3: \(stuck)") }
        // The look at every row is dear, so it is taken now and then.
        guard dice.below(16) == 0 else { return }
        let screens = conversations
        for screen in screens {
            if Set(screen.rows.map { $0.id }).count != screen.rows.count {
                complain("L6: two rows under one id")
            }
            for row in screen.rows where row.role == .user {
                for line in row.text.string.lines where (homes[line] ?? screen.id) != screen.id {
                    complain("C19: \(line) is shown in another conversation")
                }
            }
        }
        guard driver.state.shared.wish.isRestored, driver.storage.isEmpty else { return }
        for text in deleted where shownCount(text) > 0 { complain("C13: \(text) is back") }
        // A bad disk may have forgotten that a message was sent; until it goes again its echo stands alone.
        for text in texts where !hasBadDisk && shownCount(text) > 1 {
            complain("L6: \(text) is shown \(shownCount(text)) times")
        }
    }

    private func shownCount(_ text: String) -> Int {
        conversations.reduce(0) { count, screen in
            count + screen.rows.filter { $0.role == .user && $0.text.string.lines.contains(text) }.count
        }
    }

    private mutating func complain(_ complaint: String) {
        if complaints.count < 3 { complaints.append(complaint) }
    }

    /// Everything works from here on; then all that was written is once with the server and once on the
    /// screen, or can be seen to be unsent.
    mutating func finish() {
        driver.send(.networkChanged(isUp: true))
        driver.send(.foregrounded)
        driver.send(.shown)
        for round in 0..<150 {
            driver.serve(from: &disk)
            exchange()
            while !server.line.isEmpty, socket != nil {
                deliver()
                exchange()
            }
            server.goOn(&dice)
            driver.send(.olderRequested)
            let entries = driver.state.list.entries
            driver.send(.conversationSwitched(to: entries[round % entries.count].id))
            driver.advance(by: .milliseconds(500))
            if driver.calls.isEmpty { driver.advance(by: .seconds(41)) }
            driver.send(.reconnectRequested)
        }
        if !driver.isConnected { complain("L3: not connected in the end") }
        let screens = conversations
        for text in texts {
            let unsent = screens.contains { $0.draft.contains(text) }
            let (there, here) = (server.count(of: text), shownCount(text))
            if there > 1 || here > 1, !forgotten.contains(text) {
                complain("L6: \(text): \(there) with the server, \(here) shown")
            }
            if here == 0, !unsent { complain("L5: \(text) is not shown, \(there) with the server") }
            if there == 0, !unsent { complain("L5: \(text) was not sent, and is shown \(here) times") }
        }
        // What the person has closed, or a bad disk has forgotten, comes back only while there is room for it.
        let listed = driver.state.list.entries
        let isFull = Int64(listed.count) >= Self.conversationLimit
        for message in server.log where message.role == .assistant {
            if isFull, !listed.contains(where: { $0.id == message.conversation }) { continue }
            // What was asked twice is answered twice, with the same words.
            if forgotten.contains(where: { message.text.string.hasSuffix($0) }) { continue }
            let shown = screens.filter { screen in
                screen.rows.contains { $0.text.string == message.text.string }
            }
            let count = screens.reduce(0) { count, screen in
                count + screen.rows.filter { $0.text.string == message.text.string }.count
            }
            if shown.map({ $0.id }) != [message.conversation] || count != 1 {
                complain("C16: \(message.text) is shown \(count) times")
            }
        }
    }
}

extension String {
    /// The lines that hold something.
    var lines: [String] { split(separator: "\n").map(String.init) }
}
