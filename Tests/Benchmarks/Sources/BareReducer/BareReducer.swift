// The yardstick of the interpreter and of the transcript: the least that a reducer can be.
//
// A plain struct with an array of messages and a dictionary from id to position, and one concrete function in
// a module of its own that is never inlined, as a feature's reducer is. No effects, no history, no ties to
// the package under measurement. What the package's own machinery costs is told as a multiple of this.

/// A message of the yardstick.
public struct BareMessage {
    public var id: String
    public var text: String
}

/// The state of the yardstick.
public struct BareState {
    public internal(set) var count: UInt64 = 0
    public internal(set) var messages: [BareMessage] = []
    public internal(set) var positions: [String: Int] = [:]

    /// A transcript of that many messages, with the ids that `bareID` gives.
    public init(messages count: Int) {
        for number in 0..<count { append(BareMessage(id: bareID(number), text: "Hello")) }
    }

    mutating func append(_ message: BareMessage) {
        positions[message.id] = messages.count
        messages.append(message)
    }
}

/// What the yardstick can do.
public enum BareAction {
    /// Counts; the action that costs nothing but the call.
    case count
    /// Appends an empty message.
    case begin(id: String)
    /// Appends to the text of the last message.
    case token(String)
    /// Puts another text into the message with an id.
    case rewrite(id: String, text: String)
}

/// The id of the message with that number: 36 bytes, as those that servers give.
public func bareID(_ number: Int) -> String {
    let digits = String(number)
    return "6f1c8a52-3b7e-4d90-9e2a-" + String(repeating: "0", count: 12 - digits.count) + digits
}

/// Applies an action.
@inline(never)
public func bareReduce(_ state: inout BareState, _ action: BareAction) {
    switch action {
    case .count:
        state.count &+= 1
    case .begin(let id):
        state.append(BareMessage(id: id, text: ""))
    case .token(let text):
        if !state.messages.isEmpty { state.messages[state.messages.count - 1].text += text }
    case .rewrite(let id, let text):
        if let position = state.positions[id] { state.messages[position].text = text }
    }
}
