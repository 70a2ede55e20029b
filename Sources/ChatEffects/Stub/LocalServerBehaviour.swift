// How the in-process backend behaves, and how it is told to misbehave: a list of rules, each naming a step of
// the server's work and what goes wrong there. The first rule for a step applies, as often as it says.
//
//     server.behaviour.rules = [
//         Rule(.pairing, .refuse(code: "pair_denied", message: "Admin rejected pairing request")),
//         Rule(.token(3), .drop, times: 1),       // the first reply loses its connection at its third word
//         Rule(.acknowledgement, .delay(.seconds(6))),
//     ]

import ChatDomain

extension LocalServer {
    /// How the server behaves. The defaults are those of the in-process backend (end of SPEC section 8).
    public struct Behaviour: DomainValue {
        /// How long a socket takes to open.
        public var handshakeDelay = Interval.zero
        /// How long until a device is let in, from the first time it asks.
        public var approvalDelay = Interval.seconds(3)
        /// How long until a token is answered. With an immediate handshake this is how long connecting takes.
        public var authenticationDelay = Interval.milliseconds(500)
        /// How long until a message is acknowledged and echoed.
        public var acknowledgementDelay = Interval.zero
        /// How long until a file is taken.
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
        /// Whether a device that is let in belongs to an admin.
        public var grantsAdmin = false
        /// A code that the person who waits is shown; none by default.
        public var code: ExactText?
        /// How many finished messages a replay brings at most (PROTOCOLS section 1).
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

    /// How a reply is told.
    public enum Dialect: DomainValue {
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
    public enum Step: DomainValue {
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
        /// A question to the assistant is answered. A refusal names a status of callable functions.
        case answer
        /// A suggestion begins (0), or a word of it is sent (from 1). A refusal names a status of callable
        /// functions; after the beginning its sentence comes in the stream.
        case suggestion(Int64)
        /// The coach's reply begins (0), a word of it is sent (from 1), or, after the last, its end. A refusal
        /// names an error of the coach; after the beginning its sentence comes in the stream.
        case coach(Int64)
        /// The coach's reply is given whole. A refusal names an error of the coach.
        case coachWhole
        /// Credentials are made new. A refusal names an error of the coach.
        case refresh
    }

    /// What goes wrong at a step.
    public enum Fault: DomainValue {
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
    }

    /// What goes wrong where, and how often.
    public struct Rule: DomainValue {
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
