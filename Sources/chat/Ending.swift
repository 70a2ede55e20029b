// How the program ends when its input does: with a status that a script can trust.

import ChatDomain

/// What became of a script.
enum Ending: Equatable {
    /// Everything was taken, sent and answered.
    case complete
    /// A line was not taken, or something in it was not kept.
    case refused
    /// Something has no answer, or was not sent.
    case unanswered

    init(_ state: ChatApp.State, hasRefused: Bool) {
        self = hasRefused ? .refused : state.isAnswered ? .complete : .unanswered
    }

    /// What became of a script that says itself when it ends: what has no answer yet is not waited for.
    init(quittingAfterRefusal hasRefused: Bool) {
        self = hasRefused ? .refused : .complete
    }

    /// Says what is to be said; returns the exit status.
    func report() -> Int32 {
        switch self {
        case .complete: return 0
        case .refused: Program.complain("chat: something was refused or could not be saved")
        case .unanswered: Program.complain("chat: not everything was sent and answered")
        }
        return 1
    }
}
