// What a terminal says about a chat. It compares what the projections compute with what it has said already,
// and says the difference: finished lines once, and for what is still moving (a reply that grows, somebody
// typing) a few lines that the screen may redraw. It decides nothing; all sentences come from `Copy`.

import ChatDomain

/// Turns states into lines.
struct Narrator {
    /// What is to be printed for good.
    typealias Lines = [String]

    private let copy: Copy
    private var said: [Chat.Row.ID: Said] = [:]
    private var lastScreen: Pairing.Screen?
    private var lastNotice: ExactText?
    private var lastConnection: ExactText?
    private var lastBanner: ExactText?
    private var wasConnected = false

    /// What was said of a row.
    private struct Said {
        var note: ExactText?
    }

    /// How many rows are looked at: more than change between two looks.
    private static let window: Int64 = 200

    init(copy: Copy) {
        self.copy = copy
    }

    /// What has become final since the last look.
    mutating func news(_ state: App.State) -> Lines {
        pairingNews(state) + connectionNews(state) + rowNews(state) + noticeNews(state)
    }

    /// What is moving now: at most a growing reply, or somebody typing.
    func live(_ state: App.State) -> Lines {
        guard case .paired = state.pairing.phase else { return [] }
        let growing = Chat.rows(state.chat, newest: 32, copy).filter { $0.isGrowing }
        if !growing.isEmpty { return growing.map { line($0, state) } }
        return isTyping(state) ? [copy.typing.string] : []
    }

    /// Whether somebody is typing of whom nothing can be seen yet.
    func isTyping(_ state: App.State) -> Bool {
        guard case .paired = state.pairing.phase else { return false }
        return Chat.isTyping(state.chat)
    }

    /// What stands before the line that is typed.
    func prompt(_ state: App.State) -> String {
        switch Pairing.screen(state.pairing, copy) {
        case .name(let form): form.label.string + ": "
        case .failed(_, let button): "[Enter: \(button.string)] "
        case .restoring, .waiting, .finished: "> "
        }
    }

    /// Forgets what was said of the chat, because other messages are to be shown first.
    mutating func startOver() {
        said = [:]
    }

    // MARK: Parts

    private mutating func pairingNews(_ state: App.State) -> Lines {
        let screen = Pairing.screen(state.pairing, copy)
        defer { lastScreen = screen }
        guard screen != lastScreen else { return [] }
        switch screen {
        case .waiting(let sentence, let code):
            return [sentence.string] + (code.map { [$0.string] } ?? [])
        case .failed(let sentence, _): return [sentence.string]
        case .finished:
            guard let user = state.account?.user else { return [] }
            return ["Signed in as \(Narrator.printable(user.text.string)). /help lists the commands."]
        case .restoring, .name: return []
        }
    }

    private mutating func connectionNews(_ state: App.State) -> Lines {
        guard case .paired = state.pairing.phase else {
            lastConnection = nil
            wasConnected = false
            return []
        }
        let sentence = Chat.connectionLine(state.chat, copy)
        defer { lastConnection = sentence }
        guard sentence != lastConnection else { return [] }
        guard let sentence else {
            defer { wasConnected = true }
            return wasConnected ? ["* Connected again."] : ["* Connected."]
        }
        return ["* \(sentence.string)"]
    }

    private mutating func noticeNews(_ state: App.State) -> Lines {
        let notice = Pairing.notice(state.pairing, copy)
        let banner = Chat.banner(state.chat, copy)
        defer {
            lastNotice = notice
            lastBanner = banner
        }
        var lines: Lines = []
        if let notice, notice != lastNotice { lines.append("! \(notice.string)") }
        if let banner, banner != lastBanner { lines.append("! \(Narrator.printable(banner.string))") }
        return lines
    }

    private mutating func rowNews(_ state: App.State) -> Lines {
        guard case .paired = state.pairing.phase else {
            said = [:]
            return []
        }
        var lines: Lines = []
        for row in Chat.rows(state.chat, newest: Narrator.window, copy) where !row.isGrowing {
            let before = said[row.id]
            if before == nil { lines.append(line(row, state)) }
            if let note = row.note, note != before?.note { lines.append("  ! \(note.string)") }
            said[row.id] = Said(note: row.note)
        }
        return lines
    }

    private func line(_ row: Chat.Row, _ state: App.State) -> String {
        let speaker =
            switch row.role {
            case .user: state.account?.user.text.string ?? "me"
            case .assistant: "assistant"
            case .system: "system"
            }
        return "\(Narrator.printable(speaker)): \(Narrator.printable(row.text.string))"
    }

    /// A text without anything that could move a terminal's cursor or turn its writing (L10 is not the only
    /// thing that a server must not do to a person's terminal).
    static func printable(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { ExactText(String($0)).withoutControlCharacters.string }
            .joined(separator: "\n  ")
    }
}
