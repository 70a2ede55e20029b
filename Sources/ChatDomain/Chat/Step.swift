// The working values of one action. A step is a method of one conversation; it receives that conversation, the shared
// state and a `Step`, and nothing else. So no step reaches another conversation (C19): it asks for that, and
// `answer` in Conversations/Places.swift carries the request out afterwards. Effects are carried out in the order in
// which steps add them.

extension Chat {
    /// The settings and the context of one action, and its effects and requests so far.
    struct Step {
        let settings: Boxed<Configuration>
        var context: Context
        var effects: [Effect] = []
        var asks: [Ask] = []

        init(_ settings: Boxed<Configuration>, _ context: Context) {
            (self.settings, self.context) = (settings, context)
        }

        var configuration: Configuration { settings.wrappedValue }

        var now: Instant { context.now }
        var wall: WallTime { context.wall }

        mutating func add(_ effect: Effect) { effects.append(effect) }

        mutating func add(_ more: [Effect]) { effects.append(contentsOf: more) }

        mutating func ask(_ ask: Ask) { if !asks.contains(ask) { asks.append(ask) } }

        // MARK: Records

        /// Starts the load of a record, unless it may already be saved.
        mutating func load(_ record: inout KeptRecord, _ key: Chat.Key) {
            let attempt = context.nextAttempt()
            if record.loads(under: attempt) { add(.load(key, attempt)) }
        }

        /// Starts a save of a record, if one is due.
        mutating func save(_ record: inout KeptRecord, _ value: Chat.Record, under key: Chat.Key) {
            guard let attempt = record.saves(under: context.nextAttempt()) else { return }
            add(.save(value, under: key, attempt))
        }

        /// Updates the timer of a record (L3).
        mutating func follow(_ record: inout KeptRecord, _ timer: Chat.Timer) {
            switch record.deadline() {
            case .start: add(.start(timer, after: configuration.storageLimit))
            case .keep: break
            case .stop: add(.cancel(timer))
            }
        }
    }

    /// A request of a step to the whole chat.
    enum Ask: Equatable {
        /// Save the list of conversations; records that only it names wait for that (L5).
        case saveList
        /// Send the next message of every conversation (C8).
        case flushAll
        /// End the connection with this input.
        case endConnection(Connection.Input)
        /// The records of one conversation are loaded; check whether all are (C6).
        case restored
        /// Share the credentials that a question has renewed (S9).
        case renew(Streaming.Access)
    }
}
