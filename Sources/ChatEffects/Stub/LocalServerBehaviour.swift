// The settings and faults of the in-process backend. A rule names a step of the server's work and a fault there;
// the first rule for a step applies, as often as its `times`.
//
//     server.behaviour.rules = [
//         Rule(.pairing, .refuse(code: "pair_denied", message: "Admin rejected pairing request")),
//         Rule(.token(3), .drop, times: 1),       // the first reply loses its connection at its third word
//         Rule(.acknowledgement, .delay(.seconds(6))),
//         Rule(.upload(percent: 40), .status(429, retryAfter: .seconds(20)), times: 1),
//     ]

import ChatDomain

extension LocalServer {
    /// The server's settings. The defaults are those of the in-process backend (end of limits).
    public struct Behaviour: PlainValue {
        /// The delay until a socket is open.
        public var handshakeDelay = Interval.zero
        /// The delay from a device's first request to its approval.
        public var approvalDelay = Interval.seconds(3)
        /// The delay of the answer to a token. With an immediate handshake this is the time to connect.
        public var authenticationDelay = Interval.milliseconds(500)
        /// The delay of acknowledgement and echo.
        public var acknowledgementDelay = Interval.zero
        /// The duration of an upload; a twentieth of it for each 5 %.
        public var uploadDelay = Interval.milliseconds(200)
        /// The delay from a message to the beginning of its reply.
        public var replyDelay = Interval.milliseconds(1_500)
        /// The delay of an answer by the assistant or the coach, and of the beginning of a suggestion.
        public var answerDelay = Interval.milliseconds(1_500)
        /// The interval between two words of a reply: about the pace of a fast model.
        public var wordInterval = Interval.milliseconds(50)
        /// The form of growing replies.
        public var dialect = Dialect.cumulative
        /// Whether an echo carries the sender's client id, as newer servers' do.
        public var namesClients = false
        /// Whether the server shows typing, from the receipt of a message until the reply begins.
        public var showsTyping = false
        /// Whether the server refuses as the public provider does: it takes no message without text, not even with a
        /// file, no typing, and no account but `user_` and a UUID; and it does not say which message it refuses.
        public var isStrict = false
        /// The approval of devices.
        public var approval = Approval.automatic
        /// The accounts of admins. A device that claims an admin's name is approved without another admin.
        public var admins: [UserID] = []
        /// A code for the waiting person; none by default.
        public var code: ExactText?
        /// The most finished messages of a replay.
        public var replayLimit: Int64 = 500
        /// The wait after the coach's rate limit.
        public var limitReset = Interval.hours(1)
        /// Whether the coach answers in a conversation only if its row exists.
        public var keepsRows = false
        /// The lifetime of refreshed credentials, as in real services.
        public var credentialLife = Interval.hours(1)
        /// The faults; of several rules for one step the first applies.
        public var rules: [Rule] = []

        /// Creates the default settings, with rules.
        public init(rules: [Rule] = []) {
            self.rules = rules
        }
    }

    /// The approval of devices.
    public enum Approval: PlainValue {
        /// The server, after `approvalDelay`, unless an admin is first.
        case automatic
        /// An admin, within the lifetime of the request.
        case byAdmin
    }

    /// The form of growing replies.
    public enum Dialect: PlainValue {
        /// Word by word, with the whole text so far each time, as in Clawline.
        case cumulative
        /// Word by word, with increments; a new connection first gets the text so far.
        case deltas
        /// Word by word, in numbered chunks; a new connection misses the first ones, until the whole text comes.
        case chunks
        /// The whole text at once.
        case whole
    }

    /// A step of the server's work, which may have a fault.
    public enum Step: PlainValue {
        /// The opening of a socket.
        case handshake
        /// The answer to a pairing request.
        case pairing
        /// The answer to a token.
        case authentication
        /// The arrival of a message. A fault here takes effect before the server has it.
        case receipt
        /// The acknowledgement of a message.
        case acknowledgement
        /// The echo of a message.
        case echo
        /// The beginning of a reply.
        case reply
        /// A word of a reply, counted from 1. A whole reply has one.
        case token(Int64)
        /// The progress of an upload, in percent and steps of 5; at 100 the upload is answered. A refusal has a code of
        /// the protocol.
        case upload(percent: Int64)
        /// The announcement of a pairing request to an admin's connection.
        case announcement
        /// The arrival of an admin's decision. A fault here takes effect before the server has it.
        case decision
        /// The assistant's answer. A refusal has a status of callable functions.
        case answer
        /// The beginning of a suggestion (0), or a word of it (from 1). A refusal has a status of callable functions;
        /// after the beginning its sentence is an event of the stream.
        case suggestion(Int64)
        /// A whole suggestion. A refusal has a status of callable functions.
        case wholeSuggestion
        /// The beginning of the coach's reply (0), a word of it (from 1), or, after the last, its end. A refusal has an
        /// error of the coach; after the beginning its sentence is an event of the stream.
        case coach(Int64)
        /// A whole reply of the coach. A refusal has an error of the coach.
        case coachWhole
        /// A refresh of credentials. A refusal has an error of the coach.
        case refresh
    }

    /// A fault of a step.
    public enum Fault: PlainValue {
        /// The step does not happen, without an error. A reply stops for good.
        case silence
        /// The connection breaks. The server keeps its received input, and a reply continues without the connection.
        case drop
        /// The server closes the socket with this code (RFC 6455, section 7.4), or ends its HTTP answer as if it were
        /// complete; otherwise as `drop`.
        case close(code: Int64, reason: ExactText)
        /// The step happens, followed by bytes outside the protocol.
        case noise
        /// The step is delayed.
        case delay(Interval)
        /// The server refuses with a code or reason of the protocol and a sentence. A reply fails for good. A handshake
        /// is refused with HTTP status 503.
        case refuse(code: ExactText, message: ExactText)
        /// The answer to an HTTP request, or to the handshake of a socket, is this status alone, with an optional
        /// retry-after. After the beginning of an answer, as `drop`.
        case status(Int64, retryAfter: Interval? = nil)
        /// The step's output is sent twice. A reply in the deltas dialect is exempt: its increments have no number that
        /// identifies a duplicate.
        case duplicate
        /// The step's output is delayed and arrives after later output. A reply in the deltas dialect is exempt: its
        /// increments have no number that identifies their order.
        case holdBack(Interval)
        /// The server refuses any cursor. For `authentication`; elsewhere without effect.
        case refuseCursor
        /// The replay has at most this many messages. For `authentication`; elsewhere without effect.
        case truncateReplay(to: Int64)
        /// The server has lost the user's history; the step continues with the rest.
        case loseHistory
        /// The server has lost all files; the step continues with the rest.
        case loseAssets
        /// The user's token is revoked. A socket with it gets the error and a close; then as `drop`.
        case revokeToken
        /// Another connection has taken the session. The socket gets the error and a close; then as `drop`.
        case replaceSession
    }

    /// A fault at a step, with the number of its uses.
    public struct Rule: PlainValue {
        /// The step of the fault.
        public let step: Step
        /// The fault.
        public let fault: Fault
        /// The remaining uses; the greatest number never runs out.
        public var times: UInt64

        /// Creates a rule; without `times` it always applies.
        public init(_ step: Step, _ fault: Fault, times: UInt64 = .max) {
            self.step = step
            self.fault = fault
            self.times = times
        }
    }
}

extension LocalServer.Behaviour {
    /// Returns the fault of a step, if any, and counts its use.
    mutating func takeFault(at step: LocalServer.Step) -> LocalServer.Fault? {
        guard let index = rules.firstIndex(where: { $0.step == step && $0.times > 0 }) else { return nil }
        if rules[index].times < .max { rules[index].times -= 1 }
        return rules[index].fault
    }
}
