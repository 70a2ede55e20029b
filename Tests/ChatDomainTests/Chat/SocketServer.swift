// A chat server with one log and one socket, for `SocketWorld`. It answers the questions of the account in the order of
// acceptance, each with one reply, and tells a failure until it was heard. It works on without a connection. Start with
// `receive` and `work`.

@testable import ChatDomain

struct SocketServer {
    /// A question of the log.
    struct Question {
        let id: MessageID
        let key: ClientID?
    }

    /// The finished messages, oldest first.
    private(set) var log: [IncomingMessage] = []
    /// The questions without a reply, oldest first.
    private var open: [Question] = []
    /// The question of each complete reply.
    private(set) var answered: [(reply: MessageID, question: Question)] = []
    /// The reply that grows, with its text so far; at most one.
    private var growing: [(id: MessageID, question: Question, text: String)] = []
    /// The failures that the client has not heard of yet, oldest first. They are told until it has.
    private var failures: [Chat.Event] = []
    /// The keys that the server has accepted, and those that it refuses for good.
    private(set) var accepted: Set<ClientID> = []
    private var refused: Set<ClientID> = []
    private var count = 0
    private var latest = WallTime(millisecondsSince1970: 0)
    /// What the open connection is still to bring, oldest first.
    private(set) var events: [Chat.Event] = []
    private var isLive = false
    /// Whether echoes name their key.
    let namesKeys: Bool

    init(namesKeys: Bool) { self.namesKeys = namesKeys }

    private mutating func mint(_ letter: String) -> MessageID {
        count += 1
        return MessageID(ExactText(letter + "\(count)"))
    }

    private mutating func tell(_ event: Chat.Event) { if isLive { events.append(event) } }

    private mutating func record(_ message: IncomingMessage) {
        log.append(message)
        tell(.message(message))
    }

    /// No two messages have the same time.
    private mutating func stamp(_ time: WallTime) -> WallTime {
        latest = max(time, latest + .milliseconds(1))
        return latest
    }

    /// Whether every question has its reply.
    var isIdle: Bool { open.isEmpty && growing.isEmpty }

    // MARK: What the client says

    /// A message arrives; its echo may precede its acknowledgement.
    mutating func receive(_ frame: Chat.Frame, at time: WallTime, refuses: Bool, echoesFirst: Bool) {
        guard case .say(let key, _, let text, _) = frame else { return }
        if refused.contains(key) { return tell(.rejected(key, reason: "No.")) }
        guard !accepted.contains(key) else { return tell(.acknowledged(key)) }
        if refuses {
            refused.insert(key)
            return tell(.rejected(key, reason: "No."))
        }
        accepted.insert(key)
        let id = mint("s")
        if !echoesFirst { tell(.acknowledged(key)) }
        record(
            IncomingMessage(
                id: id, client: namesKeys ? key : nil, role: .user, text: text, time: stamp(time),
                isGrowing: false))
        if echoesFirst { tell(.acknowledged(key)) }
        open.append(Question(id: id, key: key))
    }

    /// The person's other device says something.
    mutating func hear(_ text: ExactText, at time: WallTime) {
        let id = mint("s")
        record(
            IncomingMessage(
                id: id, role: .user, text: text, time: stamp(time), device: "device-2", isGrowing: false))
        open.append(Question(id: id, key: nil))
    }

    // MARK: What the server does

    enum Work: CaseIterable {
        case begin
        case grow
        case finish
        /// The reply ends without text, or for a reason that names the reply or its question.
        case endEmpty
        case failReply
        case failQuestion
    }

    static func reply(to question: Question) -> String { "re \(question.id)" }

    mutating func work(_ work: Work, at time: WallTime) {
        if growing.isEmpty, failures.isEmpty, let first = open.first {
            open.removeFirst()
            growing.append((mint("a"), first, ""))
            if work != .begin { return }
        }
        guard let current = growing.first else { return }
        let whole = Self.reply(to: current.question)
        switch work {
        case .begin, .grow:
            growing[0].text = String(whole.prefix(current.text.count + 2))
            tell(.message(message(growing[0], isGrowing: true, at: stamp(time))))
        case .finish:
            growing[0].text = whole
            answered.append((current.id, current.question))
            record(message(growing[0], isGrowing: false, at: stamp(time)))
            growing.removeFirst()
        case .endEmpty:
            growing[0].text = ""
            fail(.message(message(growing[0], isGrowing: false, at: stamp(time))))
        case .failReply: fail(.replyFailed(.reply(current.id), reason: "busy"))
        case .failQuestion:
            if let key = current.question.key { fail(.replyFailed(.question(key), reason: "busy")) }
        }
    }

    private mutating func fail(_ event: Chat.Event) {
        tell(event)
        failures.append(event)
        growing.removeFirst()
    }

    private func message(
        _ reply: (id: MessageID, question: Question, text: String), isGrowing: Bool, at time: WallTime
    ) -> IncomingMessage {
        IncomingMessage(
            id: reply.id, role: .assistant, text: ExactText(reply.text), time: time, isGrowing: isGrowing)
    }

    // MARK: The connection

    /// A connection begins, and is replayed what follows the cursor; all of it after a reset or an unknown cursor.
    mutating func connect(after cursor: MessageID?, isReset: Bool, refusesCursor: Bool, at time: WallTime) {
        isLive = true
        events = [.opened]
        if refusesCursor, cursor != nil { return events.append(.cursorRefused) }
        let known = isReset ? nil : cursor.flatMap { cursor in log.firstIndex { $0.id == cursor } }
        let replayed = log.suffix(from: known.map { $0 + 1 } ?? 0)
        events.append(
            .authenticated(
                replayCount: Int64(replayed.count), isTruncated: false,
                isReset: isReset || cursor != nil && known == nil))
        events += replayed.map { .message($0) }
        for reply in growing where !reply.text.isEmpty {
            events.append(.message(message(reply, isGrowing: true, at: stamp(time))))
        }
        events += failures
    }

    mutating func disconnect() { (isLive, events) = (false, []) }

    /// The next event reaches the client.
    mutating func deliver() -> Chat.Event? {
        guard !events.isEmpty else { return nil }
        let event = events.removeFirst()
        if event.isFailure { failures.removeFirst() }
        return event
    }
}

extension Chat.Event {
    fileprivate var isFailure: Bool {
        switch self {
        case .replyFailed: true
        case .message(let message): message.wrappedValue.text.isEmpty && !message.wrappedValue.isGrowing
        default: false
        }
    }
}
