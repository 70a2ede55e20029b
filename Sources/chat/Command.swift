// What a person can tell the program to do, with everything that it needs. Whether it can be done now is decided
// by `Situation`.

import ChatDomain

/// A command, understood.
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
    // Letting devices in.
    case requests
    case approve(Who, as: String)
    case deny(Int, reason: String?)
    // The network and the world around the program.
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
    case help(Verb?)
    case quit

    /// Which of the things that were shown.
    enum Which: Equatable {
        /// The last for which the command makes sense.
        case last
        /// The one that was shown with this number.
        case number(Int)
    }

    /// Which conversation.
    enum Where: Equatable {
        /// The one that is listed with this number.
        case number(Int)
        /// The one with this title.
        case title(String)
    }

    /// Which device.
    enum Who: Equatable {
        /// The one that was shown with this number.
        case number(Int)
        /// The one whose owner claims this name.
        case name(String)
    }

    /// Whether it is about what is under way, so that it does not wait for that to end.
    var interrupts: Bool {
        switch self {
        case .cancel, .stop: true
        default: false
        }
    }
}
