// A server as small as a server can be: a log of finished messages, one idempotency key for each message of a
// person, and a line of events to the one socket that is open. What it does next is drawn from a seed.

@testable import ChatDomain

/// What the other end of the socket is like.
struct ModelServer {
    /// Everything that is finished, in the server's order.
    private(set) var log: [IncomingMessage] = []
    /// The replies that have begun, and how many bytes of each were told to the socket.
    private(set) var replies: [(id: MessageID, home: ConversationID, text: String, told: Int)] = []
    /// What is under way to the open socket, oldest first.
    var line: [Chat.Event] = []
    /// Whether an echo names the client id.
    let namesClients: Bool
    /// Whether replies grow by increments, or are told with all of their text each time.
    let sendsDeltas: Bool

    private var known: [ClientID] = []
    private var lastID = 0

    init(namesClients: Bool, sendsDeltas: Bool) {
        self.namesClients = namesClients
        self.sendsDeltas = sendsDeltas
    }

    private var now: WallTime { WallTime(millisecondsSince1970: 5_000_000) + .seconds(Int64(lastID)) }

    private mutating func mint(_ prefix: String) -> MessageID {
        lastID += 1
        return MessageID("\(prefix)\(lastID)")
    }

    /// A message of the person arrives.
    mutating func take(
        _ client: ClientID, in home: ConversationID, _ text: ExactText, device: DeviceID,
        _ dice: inout Entropy
    ) {
        var answers: [Chat.Event] = []
        if !known.contains(client) {
            known.append(client)
            let echo = IncomingMessage(
                id: mint("m"), conversation: home, client: namesClients ? client : nil, role: .user,
                text: text, time: now, device: device, isGrowing: false)
            log.append(echo)
            if dice.below(3) > 0 { answers.append(.message(echo)) }
            replies.append((mint("r"), home, "re: \(text.string)", 0))
        }
        if dice.below(4) > 0 || answers.isEmpty { answers.append(.acknowledged(client)) }
        if dice.below(2) == 0 { answers.reverse() }
        line += answers
        if dice.below(6) == 0, let again = answers.last { line.append(again) }
    }

    /// Some reply goes on by a few bytes, or is finished.
    mutating func goOn(_ dice: inout Entropy) {
        guard !replies.isEmpty else { return }
        let index = dice.below(replies.count)
        let (id, home, text, told) = replies[index]
        let next = min(told + 1 + dice.below(4), text.utf8.count)
        if next < text.utf8.count {
            replies[index].told = next
            let soFar = String(decoding: text.utf8.prefix(next), as: UTF8.self)
            let new = String(decoding: text.utf8.prefix(next).dropFirst(told), as: UTF8.self)
            let growing = IncomingMessage(
                id: id, conversation: home, role: .assistant, text: ExactText(soFar), time: now,
                isGrowing: true)
            if sendsDeltas { line.append(.began(id, in: home)) }
            line.append(sendsDeltas ? .delta(id, ExactText(new)) : .message(growing))
        } else {
            replies.remove(at: index)
            lastID += 1
            let reply = IncomingMessage(
                id: id, conversation: home, role: .assistant, text: ExactText(text), time: now,
                isGrowing: false)
            log.append(reply)
            line.append(.message(reply))
        }
    }

    /// A message of the same person from elsewhere.
    mutating func speakElsewhere(_ text: ExactText, in home: ConversationID) {
        let message = IncomingMessage(
            id: mint("e"), conversation: home, role: .user, text: text, time: now, device: "device-2",
            isGrowing: false)
        log.append(message)
        line.append(.message(message))
    }

    /// The socket is open, and the server knows who it is.
    mutating func welcome(after cursors: [Chat.Cursor]) {
        let replayed = log.enumerated().filter { index, message in
            guard let cursor = cursors.first(where: { $0.conversation == message.conversation }) else {
                return true
            }
            return log.firstIndex { $0.id == cursor.last }.map { index > $0 } ?? true
        }.map { $0.element }
        line = [
            .opened, .authenticated(replayCount: Int64(replayed.count), isTruncated: false, isReset: false),
        ]
        line += replayed.map { .message($0) }
    }

    func count(of text: String) -> Int {
        log.filter { $0.role == .user && $0.text.string.lines.contains(text) }.count
    }
}
