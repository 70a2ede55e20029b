// The words of the situations: what a person sees and does, by the text of a row, and what the disk is asked. What
// depends on how chat spells its values stands here and nowhere else in this folder.

import ChatDomain
import Testing

extension Driver where F == Chat {
    // MARK: The story so far

    /// “Hello” is with the server as s_1. Its reply s_9 has grown to “Part” and failed.
    static func broken(_ disk: inout Disk<Chat>, because reason: ExactText = "busy") -> Self {
        var driver = connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.grow("s_9", to: "Part")
        driver.hear(.replyFailed(.reply("s_9"), reason: reason))
        driver.serve(from: &disk)
        return driver
    }

    static func broken(because reason: ExactText = "busy") -> Self {
        var disk = Disk<Chat>()
        return broken(&disk, because: reason)
    }

    /// “look” is in flight with a file, which was uploaded as a_1.
    static func withUploadedFile(_ disk: inout Disk<Chat>) -> Self {
        var driver = connected(&disk)
        driver.pick("x", "text/plain", count: 9)
        driver.serve(from: &disk)
        driver.say("look")
        driver.serve(from: &disk)
        driver.finishUpload("a_1")
        driver.serve(from: &disk)
        return driver
    }

    /// The process ends, and another begins with what is on the disk; it is connected and has been replayed this.
    static func relaunched(
        _ disk: inout Disk<Chat>, seed: UInt64 = 2, replaying messages: [IncomingMessage] = [],
        isReset: Bool = false
    ) -> Self {
        var driver = restored(&disk, seed: seed)
        driver.send(.shown)
        driver.replay(messages, isReset: isReset)
        driver.serve(from: &disk)
        return driver
    }

    /// Five replies, “1” to “5”, are on pages of two; the next launch has read the newest page.
    static func onPagesOfTwo(_ disk: inout Disk<Chat>) -> Self {
        var driver = restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        for number in 1...5 as ClosedRange<Int64> { driver.hear(.message(numbered(number))) }
        driver.serve(from: &disk)
        return restored(&disk, seed: 2) { $0.pageLength = 2 }
    }

    /// The next launch, before the disk has said which pages there are.
    static func withSilentContents(_ disk: inout Disk<Chat>) -> Self {
        var driver = fresh(seed: 2)
        driver.send(.signedIn(account))
        driver.serve(from: &disk) { $0 == contentsKey }
        driver.send(.shown)
        driver.advance(by: Chat.Configuration().storageLimit)
        return driver
    }

    // MARK: The server

    /// The reply s1, “1”, for 1; and so on.
    static func numbered(_ number: Int64) -> IncomingMessage {
        reply(MessageID(ExactText("s\(number)")), ExactText("\(number)"), at: number)
    }

    /// The person says something, which goes on the wire; the server acknowledges and echoes it.
    mutating func ask(_ text: ExactText, as echo: MessageID, at second: Int64, on disk: inout Disk<Chat>) {
        say(text)
        serve(from: &disk)
        acknowledge()
        hear(.message(Self.echo(echo, text, at: second)))
        serve(from: &disk)
    }

    /// The server has what went on the wire last.
    mutating func acknowledge() {
        if let latest = saidIDs.last { hear(.acknowledged(latest)) }
    }

    /// A reply is in view so far, as a server tells it that sends all of the text each time.
    mutating func grow(_ id: MessageID, to text: ExactText, at second: Int64 = 9) {
        hear(.message(Self.reply(id, text, at: second, isGrowing: true)))
        advance(by: .milliseconds(100))
    }

    /// The person says something, the server refuses it, and the disk takes all down.
    mutating func sayRefused(_ text: ExactText, _ disk: inout Disk<Chat>) {
        say(text)
        serve(from: &disk)
        hear(.rejected(saidIDs.last ?? "", reason: "No."))
        serve(from: &disk)
    }

    /// The server sends replies, one a second, each with its number as name and time.
    mutating func hearReplies(_ numbers: ClosedRange<Int64>) {
        for number in numbers {
            hear(.message(Self.reply(MessageID(ExactText("s_\(number)")), "r", at: number)))
        }
    }

    /// The connection breaks; the next one is opened, perhaps refuses the cursor at first, and replays this.
    mutating func loseAndReconnect(
        replaying messages: [IncomingMessage] = [], isReset: Bool = false, isCursorRefused: Bool = false
    ) {
        lose()
        while calls.isEmpty, let next = remaining(.reconnect) { advance(by: next) }
        if isCursorRefused {
            hear(.opened)
            hear(.cursorRefused)
        }
        replay(messages, isReset: isReset)
    }

    /// The open connection authenticates and replays this.
    mutating func replay(_ messages: [IncomingMessage], isReset: Bool) {
        hear(.opened)
        hear(.authenticated(replayCount: Int64(messages.count), isTruncated: false, isReset: isReset))
        for message in messages { hear(.message(message)) }
    }

    // MARK: The person

    /// Taps what is offered at the only row that offers a retry.
    mutating func retry(
        on disk: inout Disk<Chat>, at location: SourceLocation = #_sourceLocation
    ) throws {
        let offers = rows.filter { $0.offer == .retry }
        try #require(offers.count == 1, "one row offers a retry: \(shows)", sourceLocation: location)
        send(.retried(offers[0].id))
        serve(from: &disk)
    }

    /// Asks for older messages so many times; the disk answers each time.
    mutating func scrollUp(_ times: Int, on disk: inout Disk<Chat>) {
        for _ in 0..<times {
            send(.olderRequested)
            serve(from: &disk)
        }
    }

    /// Deletes the row of the person with a text.
    mutating func delete(_ text: String, at location: SourceLocation = #_sourceLocation) throws {
        let row = try #require(
            rows.first { $0.role == .user && $0.text.string == text }, sourceLocation: location)
        send(.deleted(row.id))
    }

    // MARK: Looking

    /// Every row: who says what, “…” when more is coming, “!” when something is said below it, and “[retry]”.
    var shows: [String] {
        rows.map { row in
            let speaker = row.role == .user ? "me: " : "coach: "
            return speaker + row.text.string + (row.isGrowing ? "…" : "") + (row.note == nil ? "" : " !")
                + (row.offer == .retry ? " [retry]" : "")
        }
    }

    /// The note below the only row with a text.
    func note(_ text: String) -> String? {
        rows.first { $0.text.string == text }?.note?.string
    }

    /// Whether the mark beside the row with a text says that the server has it.
    func isDelivered(_ text: String) -> Bool {
        rows.contains { $0.text.string == text && $0.status == .delivered }
    }

    /// Whether a spinner of any kind turns.
    var isWaiting: Bool { Chat.isTyping(state) || Chat.isSending(state) || rows.contains { $0.isGrowing } }

    /// How many messages are held in memory.
    var heldRows: Int64 { Int64(state.conversation.transcript.rows.count) }

    /// How often the server was told that the person begins to type.
    var typingStarts: Int {
        sent.count { if case .typing(true, _) = $0.frame { true } else { false } }
    }

    /// What the server asks to be told on the open connection after.
    var cursor: MessageID? { askedCursor }

    /// How many streams ask the server now in the form that is not streamed.
    var wholeRequests: Int {
        calls.count { if case .ask(.whole) = $0.request { true } else { false } }
    }
}

extension Driver {
    /// The most operations that are under way at once for one record.
    var mostUnderWay: Int {
        storage.reduce(0) { most, one in max(most, storage.count { $0.key == one.key }) }
    }

    /// Answers pending operations from a disk, but no more than so many. Returns whether none is left.
    mutating func serve(from disk: inout Disk<F>, atMost count: Int) -> Bool {
        for _ in 0..<count {
            guard let operation = storage.first else { return true }
            answer(operation.key, with: disk.carryOut(operation))
        }
        return storage.isEmpty
    }
}

extension Driver: CustomTestStringConvertible {
    // Or an expectation that fails prints all that the driver holds.
    var testDescription: String { "a driver" }
}

extension Disk where F == Chat {
    /// Whether the bytes of a file are stored.
    var hasFile: Bool { records.contains { if case .attachment = $0.key { true } else { false } } }
}
