// The prompt before the typed line: the requested input, or else the current place.

import ChatDomain

extension Narrator {
    /// The most columns of a conversation's title: the typed line needs the rest.
    private static let longestTitle = 24

    /// The prompt before the typed line.
    func prompt(_ state: ChatApp.State, at now: WallTime) -> String {
        if state.pairing.session == nil, state.pairing.notice != nil { return "[Enter] " }
        // Enter alone would submit an empty name again.
        if case .failed(.emptyName) = state.pairing.phase {
            return "\(Line.printable(wording.yourName.string)): "
        }
        switch Pairing.screen(state.pairing, wording) {
        case .name(let form): return Line.printable(form.label.string) + ": "
        case .failed(_, let button): return "[Enter: \(Line.printable(button.string))] "
        case .restoring, .waiting: return "> "
        case .finished: break
        }
        let count = Chat.composer(state.chat).attachments.count
        let files = count == 0 ? "" : count == 1 ? ", 1 file" : ", \(count) files"
        let connection = connectionWord(state, now).map { " (\($0))" } ?? ""
        return title(state) + files + connection + "> "
    }

    /// The title of the conversation, or its beginning.
    private func title(_ state: ChatApp.State) -> String {
        let current = Chat.conversations(state.chat, wording).first { $0.isCurrent }
        let title = Line.clean(current?.title.string ?? "").replacing("\n", with: " ")
        var shown = ""
        var width = 0
        for character in title {
            width += Layout.width(character)
            if width > Self.longestTitle { return shown + "…" }
            shown.append(character)
        }
        return shown
    }

    /// The state of the connection in a few words; nil if there is nothing to report.
    private func connectionWord(_ state: ChatApp.State, _ now: WallTime) -> String? {
        guard Chat.connectionLine(state.chat, wording) != nil else { return nil }
        guard state.isNetworkUp else { return "offline" }
        if let time = waitTime(now) { return "wait until \(time)" }
        return switch state.chat.connection {
        case .connected, .replaying: nil
        case .connecting, .authenticating: "connecting"
        case .reconnecting: "reconnecting"
        case .disconnected, .failed: "not connected"
        }
    }
}
