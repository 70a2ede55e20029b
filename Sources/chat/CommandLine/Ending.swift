// The exit status of the program at the end of its input, reliable for scripts.

import ChatDomain

/// The result of a script.
enum Ending: Equatable {
    /// Everything was accepted, sent and answered.
    case complete
    /// A line was refused, or something was not saved.
    case refused
    /// Something is unanswered or unsent.
    case unanswered

    init(_ state: ChatApp.State, hasRefused: Bool) {
        self = hasRefused ? .refused : state.isAnswered ? .complete : .unanswered
    }

    /// The result of a script that ends with /quit: pending answers do not count.
    init(quittingAfterRefusal hasRefused: Bool) {
        self = hasRefused ? .refused : .complete
    }

    /// Prints a message if needed, and returns the exit status.
    func report() -> Int32 {
        switch self {
        case .complete: return 0
        case .refused: Program.complain("chat: something was refused or could not be saved")
        case .unanswered: Program.complain("chat: not everything was sent and answered")
        }
        return 1
    }
}
