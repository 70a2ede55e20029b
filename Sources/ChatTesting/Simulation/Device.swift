// A device of the simulation: the whole app in its machine and loop, with a disk and an end of the network of its own,
// and the facts that the laws remember of it.

import ChatDomain
import ChatEffects

/// A device with the app on it.
package struct Device: PlainValue {
    /// Its name in a report.
    let name: ExactText
    /// The name of its person.
    let person: ExactText
    /// The app.
    package var loop: Loop<ClawlineBackend, Disk, Line>
    /// The difference between its wall clock and the server's.
    var wallShift = Interval.zero
    /// Whether its network is up.
    var isUp = true

    /// The account of every text that was written here.
    var ledger = Ledger()
    /// The latest open calls, for ghosts of them.
    var known: [ChatApp.Call] = []
    /// The replies that the person has muted or deleted here; they need not be whole.
    var excused: [MessageID] = []
    /// The number of replies in each conversation that the person has muted before they had a name.
    var muted: [ConversationID: Int] = [:]
    /// The messages that the person has deleted here.
    var deletions = Deletions()
    /// The old messages that the person has approved in this process, with their times: a later change renews the time.
    var approved: [Approval] = []
    /// The conversation whose end the person looks at, as far as the person has moved there.
    var read: ConversationID?
    /// What a screen reader last said.
    var said: LongText?
    /// The person's last action here, for a second tap.
    var last: ChatApp.Action?

    /// The state of the app.
    package var state: ChatApp.State { loop.state }

    /// Whether the chat is connected.
    var isConnected: Bool {
        if case .connected = loop.state.chat.connection { true } else { false }
    }
}
