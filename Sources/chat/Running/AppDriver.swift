// The app behind a terminal: on the system's clock in the program, on a virtual one in tests.

import ChatDomain
import ChatEffects

/// Drives the app for a front end.
protocol AppDriver {
    /// The current state of the app.
    var state: ChatApp.State { get async }
    /// The current wall time of the app.
    var wall: WallTime { get async }

    /// Handles an action of a person.
    mutating func send(_ action: ChatApp.Action) async
    /// Applies an outside event to the server.
    mutating func changeServer(_ change: ServerChange) async
}

extension AppDriver {
    /// Leaves the app. The typed text becomes the draft: it replaces a draft that the line has shown, and follows any
    /// other.
    mutating func leave(typed: String, shown: ExactText) async {
        let draft = Chat.composer(await state.chat).text
        let kept = [draft == shown ? "" : draft.string, typed].filter { !$0.isEmpty }.joined(separator: "\n")
        await send(.chat(.draftEdited(ExactText(kept))))
        await send(.backgrounded)  // saves the draft
    }
}

/// The app on the system's clock.
struct SystemDriver<Codec: Backend, Store: RecordStore, Server: ChatNetwork>: AppDriver
where Codec.Subject == ChatApp {
    let loop: SystemLoop<Codec, Store, Server>

    var state: ChatApp.State {
        get async { await loop.state }
    }

    var wall: WallTime { SystemTime.wall() }

    func send(_ action: ChatApp.Action) async { await loop.send(action) }

    func changeServer(_ change: ServerChange) async {
        await loop.changeServer { $0.happen(change, at: $1) }
    }
}
