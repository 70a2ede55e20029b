// A person, a device with a disk, and a server that answers each question with a stream, all drawn from one seed.
// The device may die at any step; of the saves that it had asked for, some first ones are on the disk then. What
// must hold after each step is checked here; what must hold in the end is checked once everything works again.

@testable import ChatDomain

struct AskingWorld {
    var driver: Driver<Chat>
    var disk = Disk<Chat>()
    var dice: Entropy
    private(set) var complaints: [String] = []
    /// Every text that was sent and not deleted, and that the device has not lost before it was durable.
    private var texts: [String] = []
    /// The texts whose reply the person has stopped before anything of it came: they need none.
    private var stopped: [String] = []
    /// How often each text was asked, and how often the person has asked for it.
    private var asked: [(text: String, asks: Int, wishes: Int)] = []
    /// The streams that were seen, and how many bytes of the reply each has brought.
    private var streams: [(call: Chat.Call, told: Int)] = []
    private var written = 0
    /// Whether saves may fail.
    let hasBadDisk: Bool

    init(seed: UInt64, hasBadDisk: Bool = false) {
        self.hasBadDisk = hasBadDisk
        dice = Entropy.seeded(seed)
        driver = Self.device(seed: seed)
        driver.send(.signedIn(Driver<Chat>.account))
        driver.send(.shown)
    }

    private static func device(seed: UInt64) -> Driver<Chat> {
        let streaming = Streaming.Configuration(
            hasFallback: seed.isMultiple(of: 2), canRefresh: seed.isMultiple(of: 3))
        return .freshAsking(seed: seed, streaming) { $0.pageLength = 4 }
    }

    mutating func step() {
        switch dice.below(26) {
        case 0, 1, 2: write()
        case 3, 4, 5, 6, 7: store()
        case 8, 9, 10, 11, 12, 13: deliver()
        case 14: fail()
        case 15: driver.advance(by: .milliseconds(Int64(dice.below(1_000))))
        case 16: wait()
        case 17, 18: retry()
        case 19: wander()
        case 20: if dice.below(3) == 0 { relaunch() }
        case 21: driver.send(.networkChanged(isUp: dice.below(3) > 0))
        case 22: stop()
        case 23: if dice.below(3) == 0 { delete() }
        case 24: turn()
        default: driver.send(dice.below(2) == 0 ? .olderRequested : .bannerDismissed)
        }
        look()
        check()
    }

    // MARK: What happens

    private mutating func write() {
        guard driver.draft.isEmpty else {
            driver.send(.draftEdited(""))
            return
        }
        written += 1
        let text = "t\(written)."
        driver.send(.draftEdited(ExactText(text)))
        driver.send(.sent)
        guard
            driver.state.conversation.outbox.queue.elements.contains(where: { $0.entry.text.string == text })
        else { return }
        texts.append(text)
        wish(text)
    }

    private mutating func wish(_ text: String) {
        guard let index = asked.firstIndex(where: { $0.text == text }) else {
            return asked.append((text, 0, 1))
        }
        asked[index].wishes += 1
    }

    private mutating func retry() {
        let rows = driver.rows.filter { $0.offer == .retry }
        guard !rows.isEmpty else { return }
        retry(rows[dice.below(rows.count)])
    }

    private mutating func retry(_ row: Chat.Row) {
        let question = row.role == .user ? row.text.string : owner(of: row)
        if let question { wish(question) }
        driver.send(.retried(row.id))
    }

    /// The text of the question that a reply answers, after which it is named.
    private func owner(of row: Chat.Row) -> String? {
        guard case .answer(let client) = row.id else { return nil }
        return driver.rows.first { $0.id == .written(client) }?.text.string
    }

    /// What the server says; the name of the question comes first.
    private static func reply(to text: String) -> String { text + " is answered" }

    private mutating func stop() {
        if let text = driver.state.conversation.stream?.question?.text.string, driver.isTyping {
            stopped.append(text)
        }
        driver.stop()
    }

    private mutating func delete() {
        let own = driver.rows.filter { $0.role == .user }
        guard !own.isEmpty else { return }
        let row = own[dice.below(own.count)]
        driver.send(.deleted(row.id))
        texts.removeAll { $0 == row.text.string }
    }

    private mutating func turn() {
        let known = driver.state.list.entries
        let one = known[dice.below(known.count)].id
        switch dice.below(6) {
        case 0: driver.send(.conversationCreated(title: "c"))
        case 1: driver.send(.conversationClosed(one))
        default: driver.send(.conversationSwitched(to: one))
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

    /// Some open call brings what comes next.
    private mutating func deliver() {
        guard !driver.calls.isEmpty else { return }
        deliver(driver.calls[dice.below(driver.calls.count)], hurries: false)
    }

    private mutating func deliver(_ open: Driver<Chat>.Open, hurries: Bool) {
        switch open.request {
        case .ask(.stream(let question, _)): goOn(open.call, question.text.string, hurries: hurries)
        case .ask(.whole(let question, _)):
            let reply = ExactText(Self.reply(to: question.text.string))
            driver.send(.received(.streamed(.whole(reply, nil, nil)), on: open.call))
        case .ask(.refreshCredentials):
            let name = ExactText("s\(dice.below(5))")
            let access = Streaming.Access(
                secret: SecretHandle(name), expires: driver.context.wall + .seconds(Int64(dice.below(200))))
            driver.send(.received(.streamed(.refreshed(access)), on: open.call))
        case .connect, .upload: complain("a call of a socket")
        }
    }

    private mutating func goOn(_ call: Chat.Call, _ text: String, hurries: Bool) {
        let index = streams.firstIndex { $0.call == call }
        let told = index.map { streams[$0].told } ?? 0
        let bytes = Array(Self.reply(to: text).utf8)
        if told == 0, dice.below(2) == 0 { driver.send(.received(.streamed(.began(nil)), on: call)) }
        let next = hurries ? bytes.count : min(told + 1 + dice.below(6), bytes.count)
        guard told < bytes.count else {
            driver.send(.received(.streamed(.done(nil, nil)), on: call))
            return
        }
        let token = ExactText(String(decoding: bytes[told..<next], as: UTF8.self))
        driver.send(.received(.streamed(.token(token)), on: call))
        if let index { streams[index].told = next } else { streams.append((call, next)) }
    }

    private mutating func fail() {
        guard !driver.calls.isEmpty else { return }
        let open = driver.calls[dice.below(driver.calls.count)]
        let call = open.call
        if dice.below(3) == 0 {
            driver.send(.received(.streamed(.failed("No.")), on: call))
        } else {
            let ends: [CallEnd] = [
                .failed(.lost), .failed(.offline), .completed,
                .refused(status: 401, retryAfter: nil, message: ""),
                .refused(status: 429, retryAfter: .seconds(Int64(dice.below(40))), message: ""),
                .refused(status: 503, retryAfter: nil, message: ""),
            ]
            let end = ends[dice.below(ends.count)]
            // What has met no network has reached nobody, and is sent again by itself.
            if end == .failed(.offline), case .ask(.stream(let question, _)) = open.request,
                let index = asked.firstIndex(where: { $0.text == question.text.string })
            {
                asked[index].asks -= 1
            }
            driver.end(call, end)
        }
    }

    private mutating func wander() {
        let actions: [Chat.Action] = [
            .left, .shown, .shown, .backgrounded, .foregrounded, .reconnectRequested,
        ]
        driver.send(actions[dice.below(actions.count)])
    }

    /// The process ends and begins anew, with some first part of what was to be saved on the disk.
    private mutating func relaunch() {
        for operation in driver.storage.prefix(dice.below(driver.storage.count + 1)) {
            if case .save = operation.work { _ = disk.carryOut(operation) }
        }
        texts = texts.filter { isOnDisk($0) }
        streams = []
        var next = Self.device(seed: dice.next())
        next.context.moment = Moment(
            now: driver.context.now, wall: driver.context.wall + .seconds(Int64(dice.below(200)) - 100))
        driver = next
        driver.send(.signedIn(Driver<Chat>.account))
        if dice.below(2) == 0 { driver.send(.shown) }
    }

    private func isOnDisk(_ text: String) -> Bool {
        disk.records.contains { entry in
            switch entry.record {
            case .draft(let draft, _, _): draft.string.lines.contains(text)
            case .outbox(let entries): entries.contains { $0.text.string == text }
            case .page(let page):
                page.messages.contains {
                    $0.role == .user && !$0.isHidden && $0.body == .text(LongText(text))
                }
            case .conversations, .pacing, .contents, .attachment: false
            }
        }
    }

    // MARK: What must hold

    /// Counts what has been asked since.
    private mutating func look() {
        for open in driver.calls where !streams.contains(where: { $0.call == open.call }) {
            streams.append((open.call, 0))
            guard case .ask(.stream(let question, _)) = open.request,
                let index = asked.firstIndex(where: { $0.text == question.text.string })
            else { continue }
            asked[index].asks += 1
            // A wish costs one request, and at most one more (S8).
            if !hasBadDisk, asked[index].asks > 2 * asked[index].wishes {
                complain("L6: \(question.text) was asked \(asked[index].asks) times")
            }
        }
    }

    private mutating func check() {
        if let stuck = driver.stuckSpinner { complain("L3: \(stuck)") }
        guard dice.below(16) == 0 else { return }
        let all = screens
        for rows in all where Set(rows.map { $0.id }).count != rows.count {
            complain("L6: two rows under one id")
        }
        for text in texts where !hasBadDisk && count(text, by: .user, in: all) > 1 {
            complain("L6: \(text) is shown twice")
        }
    }

    /// Every conversation, as its screen would show it.
    private var screens: [[Chat.Row]] {
        ([driver.state.conversation] + driver.state.others).map { conversation in
            var view = driver
            view.send(.conversationSwitched(to: conversation.id))
            return view.rows
        }
    }

    private func count(_ text: String, by role: Chat.Role, in screens: [[Chat.Row]]) -> Int {
        screens.reduce(0) { $0 + $1.filter { $0.role == role && $0.text.string == text }.count }
    }

    private mutating func complain(_ complaint: String) {
        if complaints.count < 3 { complaints.append(complaint) }
    }

    /// Everything works from here on, and the person asks again for what was not answered; then all that was
    /// written is shown once, with one reply, or stands in the composer.
    mutating func finish() {
        for action in [Chat.Action.networkChanged(isUp: true), .foregrounded, .shown] { driver.send(action) }
        // A queue of questions takes a few seconds each, and those that failed are asked once more.
        for round in 0..<80 + 4 * texts.count {
            driver.serve(from: &disk)
            for open in driver.calls { deliver(open, hurries: true) }
            driver.serve(from: &disk)
            driver.send(.olderRequested)
            let entries = driver.state.list.entries
            driver.send(.conversationSwitched(to: entries[round % entries.count].id))
            // Only a wait that the server told holds a question up, and longer where the clock was set back.
            driver.advance(by: .seconds(driver.calls.isEmpty ? 5 : 1))
            if round > 20 { for row in driver.rows where row.offer == .retry { retry(row) } }
        }
        let all = screens
        let drafts = driver.state.others.map { $0.draft.text.string } + [driver.draft.string]
        for text in texts where !drafts.contains(where: { $0.lines.contains(text) }) {
            let here = count(text, by: .user, in: all)
            if here != 1 { complain("L5: \(text) is shown \(here) times") }
            let replies = count(Self.reply(to: text), by: .assistant, in: all)
            if replies != 1, replies != 0 || !stopped.contains(text) {
                complain("S6: \(text) has \(replies) replies")
            }
        }
    }
}

extension String {
    /// The lines that hold something.
    var lines: [String] { split(separator: "\n").map(String.init) }
}
