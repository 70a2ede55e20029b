// The output without redrawing: for a screen reader, a pipe or a file.

import ChatDomain

/// Converts states into lines that are printed once: final lines, and each wait when it begins.
struct PlainNarrator {
    var narrator: Narrator
    private var passing: [Line] = []
    private var draft: ExactText = ""

    init(_ narrator: Narrator) {
        self.narrator = narrator
    }

    /// The lines since the last call.
    mutating func lines(_ state: ChatApp.State, at now: WallTime) -> [Line] {
        let news = narrator.news(state, at: now)
        let passing = narrator.passing(state)
        defer { self.passing = passing }
        let begun = passing.filter { !self.passing.contains($0) }
        return news + draftNews(state) + begun.map { Line(.passing, "(\($0.body))") }
    }

    /// A draft that was not just typed: a taken suggestion, a returned message, or the draft of the last run.
    private mutating func draftNews(_ state: ChatApp.State) -> [Line] {
        let draft = state.pairing.session == nil ? "" : Chat.composer(state.chat).text
        defer { self.draft = draft }
        guard draft != self.draft, !draft.trimmed.isEmpty else { return [] }
        return [Line(.program, head: "draft: ", Self.excerpt(draft.string) + " (/send or /discard)")]
    }

    /// The text, or its beginning if a screen reader would take minutes for the whole each time.
    private static func excerpt(_ text: String) -> String {
        let limit = 400  // about five lines
        let beginning = text.prefix(limit)
        return beginning.endIndex == text.endIndex ? text : beginning + "…"
    }
}
