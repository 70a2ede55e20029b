// What the in-process backend remembers: sockets, devices, a log for each user, replies that grow, and what it
// has yet to do.

import ChatDomain

extension LocalServer {
    /// How many messages a log keeps; more than any replay or idempotency window needs (PROTOCOLS section 1).
    static let logLimit = 10_000

    /// How far back a repeated id is recognised (SPEC section 8).
    static let idempotencyWindow = 1_000

    /// How long a message may be, in UTF-8 bytes (PROTOCOLS section 1).
    static let textLimit: Int64 = 65_536

    /// A message in a log.
    public struct Entry: DomainValue {
        /// The server's name for it.
        public let id: MessageID
        /// The conversation that it belongs to.
        public let conversation: ConversationID
        /// Who wrote it.
        public let author: Author
        /// What it says.
        public let text: ExactText
        /// When the server got it, or began it.
        public let time: WallTime
    }

    /// Who wrote a message.
    public enum Author: DomainValue {
        /// A person, on this device, who named it so.
        case device(DeviceID, ClientID)
        /// The server.
        case server
    }

    /// The finished messages of a user.
    struct Log: DomainValue {
        let user: UserID
        var entries: [Entry] = []
        /// Messages whose reply failed: they must come again under new ids.
        var failed: [ClientID] = []
    }

    /// A device that has asked to come in.
    struct Device: DomainValue {
        let id: DeviceID
        let name: ExactText
        var isApproved = false

        var user: UserID { UserID(name.string.lowercased()) }
    }

    /// A socket, as the server sees it.
    struct Socket: DomainValue {
        /// How far it has come.
        enum Phase: DomainValue {
            case opening
            case open
            case pairing(DeviceID)
            case authenticating
            case connected(UserID, DeviceID)
        }

        let call: CallNumber
        var phase: Phase
    }

    /// Who sent a message, and under which id.
    struct Sender: DomainValue {
        let user: UserID
        let device: DeviceID
        let client: ClientID
        /// Where.
        let conversation: ConversationID
    }

    /// A reply that grows.
    struct Reply: DomainValue {
        let entry: Entry
        let sender: Sender
        /// How many of its words were sent.
        var sentTokens: Int64 = 0
        /// How many bytes of its text were sent.
        var sentBytes = 0
        /// Who has its text so far, and needs only what is new.
        var followers: [CallNumber] = []
    }

    /// Something to be done at a time.
    struct Task: DomainValue {
        enum Kind: DomainValue {
            case handshake(CallNumber)
            case pairing(DeviceID)
            case authentication(CallNumber, DeviceID, isGood: Bool, cursors: [Chat.Cursor])
            case receipt(CallNumber, Sender, ExactText)
            case acknowledgement(CallNumber, ClientID)
            case echo(CallNumber, UserID, Entry)
            case reply(CallNumber, Sender, ExactText)
            case token(CallNumber, MessageID)
            case send(CallNumber, [UInt8])
            case http(CallNumber, Arrival)
            case end(CallNumber, CallEnd)
            case answer(CallNumber, ExactText, conversation: ExactText?)
            case respond(CallNumber, status: Int64, body: [UInt8])
            case suggestion(CallNumber, [ExactText], next: Int64)
            case coach(CallNumber, CoachReply, next: Int64)
            case coachWhole(CallNumber, CoachReply)
            case refresh(CallNumber)
        }

        let kind: Kind
        /// Whether the rules have yet to be asked; a step that is late because of one is not asked again.
        let mayFail: Bool

        /// Whether it concerns a connection and nobody else, so that it goes with it.
        func isOnly(of call: CallNumber) -> Bool {
            switch kind {
            case .handshake(call), .authentication(call, _, _, _), .send(call, _), .end(call, _): true
            case .acknowledgement(call, _), .answer(call, _, _), .respond(call, _, _),
                .suggestion(call, _, _), .coach(call, _, _), .coachWhole(call, _), .refresh(call),
                .http(call, _):
                true
            default: false
            }
        }
    }

    /// The position of the log of a user, which begins here if there is none.
    mutating func logIndex(of user: UserID) -> Int {
        if let index = logs.firstIndex(where: { $0.user == user }) { return index }
        logs.append(Log(user: user))
        return logs.count - 1
    }

    /// Adds to a log. Past twice its limit the older half goes, so that trimming is cheap on average.
    mutating func append(_ entry: Entry, to user: UserID) {
        let index = logIndex(of: user)
        logs[index].entries.append(entry)
        if logs[index].entries.count > 2 * Self.logLimit {
            logs[index].entries.removeFirst(logs[index].entries.count - Self.logLimit)
        }
    }

    /// The next id of a message.
    mutating func nextMessageID() -> MessageID {
        lastID += 1
        return MessageID("s_\(lastID)")
    }
}
