// How the in-process backend behaves, and how it is told to misbehave: a list of rules, each naming a step of
// the server's work and what goes wrong there. The first rule for a step applies, as often as it says.
//
//     server.behaviour.rules = [
//         Rule(.pairing, .refuse(code: "pair_denied", message: "Admin rejected pairing request")),
//         Rule(.token(3), .drop, times: 1),       // the first reply loses its connection at its third word
//         Rule(.acknowledgement, .delay(.seconds(6))),
//         Rule(.upload(percent: 40), .status(429, retryAfter: .seconds(20)), times: 1),
//     ]

import ChatDomain

extension LocalServer {
    /// How the server behaves. The defaults are those of the in-process backend (end of limits).
    public struct Behaviour: PlainValue {
        /// How long a socket takes to open.
        public var handshakeDelay = Interval.zero
        /// How long until a device is let in, from the first time it asks.
        public var approvalDelay = Interval.seconds(3)
        /// How long until a token is answered. With an immediate handshake this is how long connecting takes.
        public var authenticationDelay = Interval.milliseconds(500)
        /// How long until a message is acknowledged and echoed.
        public var acknowledgementDelay = Interval.zero
        /// How long until a file is taken; a twentieth of it each 5 %.
        public var uploadDelay = Interval.milliseconds(200)
        /// How long until a reply begins, from the message.
        public var replyDelay = Interval.milliseconds(1_500)
        /// How long until a question to the assistant or the coach is answered, and until a suggestion begins.
        public var answerDelay = Interval.milliseconds(1_500)
        /// How long from one word of a reply to the next: about the pace of a fast model.
        public var wordInterval = Interval.milliseconds(50)
        /// How a reply is told.
        public var dialect = Dialect.cumulative
        /// Whether an echo carries the id that the sender gave the message, which real Clawline leaves out.
        public var namesClients = false
        /// Whether the server says that it types, from the receipt of a message until the reply begins.
        public var showsTyping = false
        /// Who lets devices in.
        public var approval = Approval.automatic
        /// The accounts of admins. A device that claims the name of one is let in without another admin.
        public var admins: [UserID] = []
        /// A code that the person who waits is shown; none by default.
        public var code: ExactText?
        /// How many finished messages a replay brings at most.
        public var replayLimit: Int64 = 500
        /// How long who has asked the coach too much has to wait.
        public var limitReset = Interval.hours(1)
        /// How long credentials are good that were made new: as real services give them.
        public var credentialLife = Interval.hours(1)
        /// What goes wrong; of several rules for one step the first applies.
        public var rules: [Rule] = []

        /// Creates the defaults, and what goes wrong.
        public init(rules: [Rule] = []) {
            self.rules = rules
        }
    }

    /// Who lets devices in.
    public enum Approval: PlainValue {
        /// The server, after `approvalDelay`, unless an admin is first.
        case automatic
        /// An admin, within the life of the request.
        case byAdmin
    }

    /// How a reply is told.
    public enum Dialect: PlainValue {
        /// Word by word, with the whole text so far each time, as Clawline does.
        case cumulative
        /// Word by word, with the new text alone; first, and to whoever connects meanwhile, the text so far.
        case deltas
        /// Word by word in numbered pieces; who connects meanwhile misses the first ones, until the whole comes.
        case chunks
        /// At once.
        case whole
    }

    /// A step of the server's work, at which something can go wrong.
    public enum Step: PlainValue {
        /// A socket opens.
        case handshake
        /// The answer to a device that asks to come in is due.
        case pairing
        /// The answer to a token is due.
        case authentication
        /// A message arrives. What goes wrong here goes wrong before the server has it.
        case receipt
        /// A message is acknowledged.
        case acknowledgement
        /// A message is echoed.
        case echo
        /// A reply begins.
        case reply
        /// A word of a reply is sent, counted from 1. A whole reply has one.
        case token(Int64)
        /// So much of a file has come, in percent and steps of 5; at 100 the upload is answered. A refusal
        /// names a code of the protocol.
        case upload(percent: Int64)
        /// An admin's connection is told that a device asks to come in.
        case announcement
        /// A decision of an admin arrives. What goes wrong here goes wrong before the server has it.
        case decision
        /// A question to the assistant is answered. A refusal names a status of callable functions.
        case answer
        /// A suggestion begins (0), or a word of it is sent (from 1). A refusal names a status of callable
        /// functions; after the beginning its sentence comes in the stream.
        case suggestion(Int64)
        /// A suggestion is given whole. A refusal names a status of callable functions.
        case wholeSuggestion
        /// The coach's reply begins (0), a word of it is sent (from 1), or, after the last, its end. A refusal
        /// names an error of the coach; after the beginning its sentence comes in the stream.
        case coach(Int64)
        /// The coach's reply is given whole. A refusal names an error of the coach.
        case coachWhole
        /// Credentials are made new. A refusal names an error of the coach.
        case refresh
    }

    /// What goes wrong at a step.
    public enum Fault: PlainValue {
        /// The step does not happen, and nobody says so. A reply stops for good.
        case silence
        /// The connection breaks. What the server has taken in by then it keeps, and a reply goes on without it.
        case drop
        /// The server closes the socket with this code (RFC 6455, section 7.4), or ends its HTTP answer as if
        /// that were all; otherwise as `drop`.
        case close(code: Int64, reason: ExactText)
        /// The step happens, and what follows it on the connection is not of the protocol.
        case noise
        /// The step happens that much later.
        case delay(Interval)
        /// The server refuses: a code or reason of the protocol and a sentence. A reply fails for good. A
        /// handshake is refused as HTTP status 503.
        case refuse(code: ExactText, message: ExactText)
        /// A request of HTTP, or the handshake of a socket, is answered with this status and nothing else, and
        /// perhaps with the time after which to try again. After the beginning of an answer, as `drop`.
        case status(Int64, retryAfter: Interval? = nil)
        /// The step happens, and what it sends comes twice. A reply told in deltas is spared: they have no
        /// number by which the second could be known.
        case duplicate
        /// The step happens, and what it sends comes that much later, behind what is sent meanwhile. A reply
        /// told in deltas is spared: they have no number by which their order could be known.
        case holdBack(Interval)
        /// The server does not know the cursor, whatever it is. For `authentication`; elsewhere nothing.
        case refuseCursor
        /// The replay brings no more than this many messages. For `authentication`; elsewhere nothing.
        case truncateReplay(to: Int64)
        /// The server has lost what it knew of the user's conversation; the step goes on with what is left.
        case loseHistory
        /// The server has lost all files; the step goes on with what is left.
        case loseAssets
        /// The user's token is no longer good. A socket that it opened is told and closed; then as `drop`.
        case revokeToken
        /// Another connection has taken the session. The socket is told and closed; then as `drop`.
        case replaceSession
    }

    /// What goes wrong where, and how often.
    public struct Rule: PlainValue {
        /// Where.
        public let step: Step
        /// What.
        public let fault: Fault
        /// How often it still applies; the greatest number never runs out.
        public var times: UInt64

        /// Creates a rule, which applies always unless told how often.
        public init(_ step: Step, _ fault: Fault, times: UInt64 = .max) {
            self.step = step
            self.fault = fault
            self.times = times
        }
    }
}

extension LocalServer.Behaviour {
    /// Takes what goes wrong at a step now, and counts that it did.
    mutating func takeFault(at step: LocalServer.Step) -> LocalServer.Fault? {
        guard let index = rules.firstIndex(where: { $0.step == step && $0.times > 0 }) else { return nil }
        if rules[index].times < .max { rules[index].times -= 1 }
        return rules[index].fault
    }
}
