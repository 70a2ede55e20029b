// What is to be done about a line of input, as a value: whoever runs the chat carries it out.

import ChatDomain

/// One thing to do.
enum Step: Equatable {
    /// Send these actions; between them nothing is said.
    case act([ChatApp.Action])
    /// Cut the network, or mend it.
    case network(isUp: Bool)
    /// Say this.
    case say([Line])
    /// Say that something was not done, and why. A script has failed then.
    case refuse(String)
    /// The composer was sent: if it has gone, the draft beside which it was typed comes back.
    case recall(former: ExactText)
    /// The question was asked: if it has not gone, its text stays with whoever typed it.
    case recallQuestion
    /// Read this file and add it to the draft.
    case attach(path: String)
    /// Put this into the line that is typed; where there is no such line, say this instead.
    case fill(String, orSay: String)
    /// Show the newest messages again.
    case show(count: Int)
    /// Show older messages.
    case older
    /// Let time pass.
    case wait(Interval)
    /// End the program.
    case quit

    /// Says something of the program's own.
    static func say(_ sentence: String) -> Step { .say([Line(.program, sentence)]) }

    /// Says what was done.
    static func tell(_ sentence: String) -> Step { .say([Line(.news, head: "* ", sentence)]) }
}
