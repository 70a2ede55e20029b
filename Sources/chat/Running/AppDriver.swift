// The app behind a terminal: on the system's clock in the program, on a virtual one in tests.

import ChatDomain
import ChatEffects

/// Drives the app for a front end.
protocol AppDriver {
    /// What the app knows now.
    var state: ChatApp.State { get async }
    /// What the clock on the wall says to the app.
    var wall: WallTime { get async }

    /// Handles what a person did.
    mutating func send(_ action: ChatApp.Action) async
    /// Applies an outside event to the server.
    mutating func changeServer(_ change: ServerChange) async
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
