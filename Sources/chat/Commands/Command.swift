// The commands of the program with their arguments. `Situation` decides whether a command is possible now.

import ChatDomain

/// A parsed command.
enum Command: Equatable {
    // Messages.
    case send(Which)
    case discard
    case edit(Which, text: String?)
    case delete(Which)
    case retry(Which)
    case stop(Which)
    case show(count: Int)
    case older
    // Conversations.
    case new(title: String?)
    case list
    case switchTo(Where)
    case close(Where?)
    // Files.
    case attach(path: String)
    case files
    case detach(Which)
    // Suggestions.
    case suggest(SmartReplies.Kind)
    case take
    case dismiss
    // The assistant.
    case ask(String?)
    case example(Int)
    case forget
    // Approval of devices.
    case requests
    case approve(Who, as: String?)
    case deny(Int, reason: String?)
    // The network and the app's environment.
    case offline
    case online
    case reconnect
    case background
    case foreground
    // The program.
    case cancel
    case signOut
    case erase
    case wait(Interval)
    case help(Help.Topic?)
    case quit

    /// A reference to a numbered item.
    enum Which: Equatable {
        /// The last item to which the command applies.
        case last
        /// The item with this number.
        case number(Int)
    }

    /// A reference to a conversation.
    enum Where: Equatable {
        /// The conversation with this number in the list.
        case number(Int)
        /// The conversation with this title.
        case title(String)
    }

    /// A reference to a device with a pairing request.
    enum Who: Equatable {
        /// The device with this number.
        case number(Int)
        /// The device with this claimed name.
        case name(String)
    }

    /// Whether the command acts on work in progress, and therefore does not wait for its end.
    var interrupts: Bool {
        switch self {
        case .cancel, .stop: true
        default: false
        }
    }

    /// Whether the command needs no connection, and therefore does not wait for one.
    var needsNoConnection: Bool {
        switch self {
        case .offline, .online, .reconnect, .background, .foreground, .signOut, .erase, .help, .quit: true
        default: false
        }
    }
}
