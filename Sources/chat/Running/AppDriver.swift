// The app behind a terminal: on the system's clock in the program, on a virtual one in tests.

import ChatDomain
import ChatEffects

/// Drives the app for a front end.
protocol AppDriver {
    /// The current state of the app.
    var state: ChatApp.State { get async }
    /// The current wall time of the app.
    var wall: WallTime { get async }
    /// Whether the server is outside of the program, so that the program cannot take its network away.
    var hasRealServer: Bool { get }

    /// Handles an action of a person.
    mutating func send(_ action: ChatApp.Action) async
    /// Applies an outside event to the server.
    mutating func changeServer(_ change: ServerChange) async
}

extension AppDriver {
    var hasRealServer: Bool { false }

    /// Leaves the app. The typed text becomes the draft: it replaces a draft that the line has shown, and follows any
    /// other.
    mutating func leave(typed: String, shown: ExactText) async {
        let draft = Chat.composer(await state.chat).text
        let kept = [draft == shown ? "" : draft.string, typed].filter { !$0.isEmpty }.joined(separator: "\n")
        await send(.chat(.draftEdited(ExactText(kept))))
        await send(.backgrounded)  // saves the draft
    }
}

/// The app on the system's clock. The closures hide its backend, its store and its network, so a front end is compiled
/// once for all of them.
struct SystemDriver: AppDriver, Sendable {
    /// The latest state, whenever it has changed.
    let states: AsyncStream<ChatApp.State>
    let hasRealServer: Bool
    private let read: @Sendable () async -> ChatApp.State
    private let handle: @Sendable (ChatApp.Action) async -> Void
    private let change: @Sendable (ServerChange) async -> Void

    init<Codec: Backend, Store: RecordStore, Server: ChatNetwork>(_ loop: SystemLoop<Codec, Store, Server>)
    where Codec.Subject == ChatApp {
        states = loop.states
        hasRealServer = Server.isReal
        read = { await loop.state }
        handle = { await loop.send($0) }
        change = { change in await loop.changeServer { $0.happen(change, at: $1) } }
    }

    var state: ChatApp.State {
        get async { await read() }
    }

    var wall: WallTime { SystemTime.wall() }

    func send(_ action: ChatApp.Action) async { await handle(action) }

    func changeServer(_ change: ServerChange) async { await self.change(change) }
}
