// What one action may use and what it leads to. A step of chat is a method of the conversation that it concerns;
// besides that conversation it is given what conversations share, and this. Effects are appended in the order in
// which the world is to see them. What a step wants of the other conversations it asks for, and `ChatReducer.swift`
// carries that out: no step reaches from one conversation into another (C19).

extension Chat {
    /// The context of one action, and what has followed from it so far.
    struct Step {
        let numbers: Boxed<Configuration>
        var context: Context
        var effects: [Effect] = []
        var asks: [Ask] = []

        init(_ numbers: Boxed<Configuration>, _ context: Context) {
            (self.numbers, self.context) = (numbers, context)
        }

        var configuration: Configuration { _read { yield numbers.wrappedValue } }

        var now: Instant { context.now }
        var wall: WallTime { context.wall }

        mutating func add(_ effect: Effect) { effects.append(effect) }

        mutating func add(_ more: [Effect]) { effects.append(contentsOf: more) }

        mutating func ask(_ ask: Ask) {
            if !asks.contains(ask) { asks.append(ask) }
        }
    }

    /// What a step of one conversation may want of the whole chat. Five and no more.
    enum Ask: Equatable {
        /// The list of conversations is to be saved before anything that only it leads to (L5).
        case saveList
        /// What waits anywhere may go now (C8).
        case flushAll
        /// The connection is over, for this reason.
        case endConnection(Connection.Input)
        /// This conversation has all that is stored of it; chat may be whole (C6).
        case restored
        /// A question has had the credentials made new (S9).
        case renew(Streaming.Access)
    }
}
