// The steps for a line of input, as values. A `StepPerformer` carries them out.

import ChatDomain

/// One step.
enum Step: Equatable {
    /// Sends these actions; between them nothing is printed.
    case act([ChatApp.Action])
    /// Takes the network down, or brings it back up.
    case network(isUp: Bool)
    /// Prints lines.
    case say([Line])
    /// Prints why a line was refused. A script has failed then.
    case refuse(String)
    /// After a message was submitted: if it was accepted, restores the former draft.
    case recall(former: ExactText)
    /// After a question was submitted: if it was not accepted, keeps its text in the input line.
    case recallQuestion
    /// Reads a file and adds it to the draft.
    case attach(path: String)
    /// Puts a text into the input line; without an input line, prints the sentence instead.
    case fill(String, orSay: String)
    /// Prints the newest messages again.
    case show(count: Int)
    /// Loads older messages.
    case older
    /// Advances the clock.
    case wait(Interval)
    /// Ends the program.
    case quit

    /// A line of the program itself.
    static func say(_ sentence: String) -> Step { .say([Line(.program, sentence)]) }

    /// A confirmation.
    static func tell(_ sentence: String) -> Step { .say([Line(.news, head: "* ", sentence)]) }
}
