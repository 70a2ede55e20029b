// The program's memory of the person at the keyboard beside the records, from sign-in to sign-in.

import ChatDomain

/// The person at the keyboard.
struct Person {
    private let files: PersonalFiles?
    /// The signed-in person; nil if there is none.
    private(set) var user: UserID?

    /// Without files, everything is forgotten with the process.
    init(_ files: PersonalFiles?) {
        self.files = files
    }

    /// Follows a state. Returns the history of a person who has just signed in, or an empty one after a sign-out; nil
    /// if nothing has changed.
    mutating func follow(_ state: ChatApp.State, _ narrator: inout Narrator) -> History? {
        let now = state.pairing.session?.credentials.user
        guard now != user else { return nil }
        user = now
        guard let now else {
            narrator.keptName = nil
            return History()
        }
        narrator.keptName = files?.name(of: now)
        let name = narrator.name(of: now, state)
        if name != now.text.string || narrator.keptName != nil { files?.keep(name: name, of: now) }
        return files?.history(of: now) ?? History()
    }

    /// Keeps a line.
    func add(_ line: String) {
        if let user { files?.add(line, of: user) }
    }

    /// Follows an action: an erasure of the person's data also erases the history.
    func follow(_ action: ChatApp.Action) {
        if case .dataErased = action, let user { files?.erase(user) }
    }
}
