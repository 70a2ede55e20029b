// The state of the in-process backend: sockets, devices, a log for each user, growing replies, and scheduled tasks.

import ChatDomain

extension LocalServer {
    /// The most messages of a log: more than any replay or idempotency window needs.
    static let logLimit = 10_000

    /// The number of messages in which a repeated id is recognised (limits).
    static let idempotencyWindow = 1_000

    /// The greatest length of a message's text, in UTF-8 bytes.
    static let textLimit: Int64 = 65_536

    /// The most bytes of inline images in a message.
    static let inlineLimit: Int64 = 262_144

    /// The most bytes of text and inline images in a message.
    static let messageLimit: Int64 = 327_680

    /// A message in a log.
    package struct Entry: PlainValue {
        /// The server's id.
        package let id: MessageID
        /// The conversation.
        package let conversation: ConversationID
        /// The author.
        package let author: Author
        /// The whole text.
        package let text: ExactText
        /// The files, in order.
        package let files: [File]
        /// The time of receipt; for a reply, of its beginning.
        package let time: WallTime

        package init(
            id: MessageID, conversation: ConversationID, author: Author, text: ExactText, files: [File],
            time: WallTime
        ) {
            self.id = id
            self.conversation = conversation
            self.author = author
            self.text = text
            self.files = files
            self.time = time
        }
    }

    /// The author of a message.
    package enum Author: PlainValue {
        /// A person on this device, with the device's id of the message.
        case device(DeviceID, ClientID)
        /// The server.
        case server
    }

    /// A file of a message.
    package enum File: PlainValue {
        /// An uploaded file.
        case asset(Asset)
        /// An inline image, in Base64.
        case image(mimeType: ExactText, data: ExactText)
    }

    /// The metadata of an uploaded file.
    package struct Asset: PlainValue {
        /// The server's id.
        package let id: AssetID
        /// The media type, from its sender.
        package let mimeType: ExactText
        /// The number of bytes.
        package let byteCount: Int64

        /// Creates the metadata of a file.
        package init(id: AssetID, mimeType: ExactText, byteCount: Int64) {
            self.id = id
            self.mimeType = mimeType
            self.byteCount = byteCount
        }
    }

    /// An uploaded file.
    struct StoredFile: PlainValue {
        let asset: Asset
        /// The bytes; `nil` once newer files have taken their room.
        var bytes: [UInt8]?
    }

    /// The finished messages of a user.
    package struct Log: PlainValue {
        package let user: UserID
        /// Whether history was lost: an unknown cursor then means a reset.
        package var isLost = false
        package var entries: [Entry] = []
        /// The conversations of current and former entries.
        package var conversations: [ConversationID] = []
        /// Messages whose reply has failed; they must be resent under new ids.
        package var failed: [ClientID] = []
    }

    /// A device with a pairing request.
    package struct Device: PlainValue {
        /// The state of the request.
        package enum Standing: PlainValue {
            /// No decision yet.
            case waiting
            /// Approved, under an account.
            case admitted(UserID)
            /// Denied; the device does not know yet.
            case turnedAway(code: ExactText, ExactText?)
            /// Formerly approved; the token is revoked.
            case revoked
        }

        /// The device's latest description of itself.
        package var request: PairingRequest
        package var standing: Standing

        package init(request: PairingRequest, standing: Standing = .waiting) {
            self.request = request
            self.standing = standing
        }

        package var id: DeviceID { request.device }

        /// The account that the claimed name stands for.
        package var claimedUser: UserID { UserID(request.claimedName.trimmed.string.lowercased()) }

        /// The account of an approved device; nil otherwise.
        package var user: UserID? {
            if case .admitted(let user) = standing { user } else { nil }
        }
    }

    /// A socket in the server's view.
    struct Socket: PlainValue {
        /// The phase of a socket.
        enum Phase: PlainValue {
            case opening
            case open
            case pairing(DeviceID)
            case authenticating
            case connected(UserID, DeviceID)
        }

        let call: CallNumber
        var phase: Phase
    }

    /// An open HTTP request.
    struct Request: PlainValue {
        let call: CallNumber
        /// The request's token; nil if this server did not issue it.
        let token: Token?
    }

    /// The sender of a message, with its id.
    package struct Sender: PlainValue {
        package let user: UserID
        package let device: DeviceID
        package let client: ClientID
        package let conversation: ConversationID

        /// The sender's token.
        var token: Token { Token(user: user, device: device) }
    }

    /// A growing reply.
    package struct Reply: PlainValue {
        package let entry: Entry
        package let sender: Sender
        /// The number of sent words.
        var sentTokens: Int64 = 0
        /// The number of sent bytes.
        var sentBytes = 0
        /// The connections that have the text so far and only need increments.
        var followers: [CallNumber] = []
    }

    /// A scheduled step.
    struct Task: PlainValue {
        enum Kind: PlainValue {
            case handshake(CallNumber)
            case pairing(DeviceID)
            case expiry(DeviceID)
            case announcement(CallNumber, DeviceID)
            case decision(CallNumber, DeviceID, Decision)
            /// The answer to a token; nil for a token that this server did not issue.
            case authentication(CallNumber, Token?, cursors: [Chat.Cursor])
            indirect case receipt(CallNumber, Sender, ExactText, [ClawlineQuestion.File])
            case acknowledgement(CallNumber, ClientID)
            indirect case echo(CallNumber?, UserID, Entry)
            indirect case reply(CallNumber?, Sender, ExactText)
            case token(CallNumber?, MessageID)
            case send(CallNumber, [UInt8])
            case upload(Upload, percent: Int64)
            case end(CallNumber, CallEnd)
            case answer(CallNumber, ExactText, conversation: ExactText?)
            case respond(CallNumber, status: Int64, headers: [Header] = [], body: [UInt8])
            case suggestion(CallNumber, [ExactText], next: Int64)
            case whole(CallNumber, [UInt8])
            case coach(CallNumber, CoachReply, next: Int64)
            case coachWhole(CallNumber, CoachReply)
            case refresh(CallNumber)
        }

        let kind: Kind
        /// Whether rules apply to the step; a step that a rule has delayed is exempt.
        let mayFail: Bool

        /// Whether the step concerns one connection alone, so that it is dropped with it.
        func isOnly(of call: CallNumber) -> Bool {
            switch kind {
            case .handshake(call), .authentication(call, _, _), .send(call, _), .end(call, _): true
            case .acknowledgement(call, _), .announcement(call, _), .decision(call, _, _),
                .answer(call, _, _), .respond(call, _, _, _), .suggestion(call, _, _), .whole(call, _),
                .coach(call, _, _), .coachWhole(call, _), .refresh(call):
                true
            case .upload(let upload, _): upload.call == call
            default: false
            }
        }
    }

    /// The index of a user's log, which is created if it is missing.
    mutating func logIndex(of user: UserID) -> Int {
        if let index = logs.firstIndex(where: { $0.user == user }) { return index }
        logs.append(Log(user: user))
        return logs.count - 1
    }

    /// Appends to a log. Beyond twice the limit the older half is removed, so trimming is O(1), amortised.
    package mutating func append(_ entry: Entry, to user: UserID) {
        let index = logIndex(of: user)
        logs[index].entries.append(entry)
        if !logs[index].conversations.contains(entry.conversation) {
            logs[index].conversations.append(entry.conversation)
        }
        if logs[index].entries.count > 2 * Self.logLimit {
            logs[index].entries.removeFirst(logs[index].entries.count - Self.logLimit)
        }
    }

    /// The beginning of every message id, before its number.
    static let idPrefix = "s_"

    /// Returns the next message id.
    package mutating func nextMessageID() -> MessageID {
        lastID += 1
        return MessageID(Self.idPrefix + "\(lastID)")
    }
}
