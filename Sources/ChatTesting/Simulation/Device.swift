// A device of the simulation: the whole app in its machine and loop, with a disk of its own and an end of the network, and
// what the laws remember of it.

import ChatDomain
import ChatEffects

/// A device with the app on it.
package struct Device: PlainValue {
    /// What it is called in a report.
    let name: ExactText
    /// The name under which its person comes in.
    let person: ExactText
    /// The app.
    package var loop: Loop<ClawlineBackend, Disk, Line>
    /// How far its wall clock is ahead of the server's.
    var wallShift = Interval.zero
    /// Whether its network is up.
    var isUp = true

    /// Where every text that was written here has to be.
    var ledger = Ledger()
    /// The calls that were open lately, so that ghosts of them can speak.
    var known: [ChatApp.Call] = []
    /// Replies that the person has muted or deleted here; they need not be whole.
    var excused: [MessageID] = []
    /// How many replies, which nobody could name then, the person has muted where.
    var muted: [ConversationID: Int] = [:]
    /// What the person did last here, so that they can tap twice.
    var last: ChatApp.Action?

    /// The state of the app.
    package var state: ChatApp.State { loop.state }

    /// Whether the chat is connected.
    var isConnected: Bool {
        if case .connected = loop.state.chat.connection { true } else { false }
    }
}
