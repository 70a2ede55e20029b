// The program's output about a chat. It compares the projections with what it has printed, and prints the difference:
// final lines once, and a few changing lines that a screen may redraw. It makes no decisions; all sentences of the
// library come from `Wording`. Start at `news`.

import ChatDomain

/// Converts states into lines.
struct Narrator {
    let wording: Wording
    let almanac: Almanac
    /// The numbers of the printed items.
    var numbers = Numbers()
    /// The person's name, as it was typed in an earlier run.
    var keptName: String?
    /// The printed rows, with their text and note.
    var said: [Chat.Row.ID: Said] = [:]
    /// The printed questions and answers, each with the note below it.
    var saidExchanges: [Assistant.Row.ID: ExactText?] = [:]
    /// The number of newest rows that are compared: more than change between two states.
    var window: Int64 = 200
    /// The end of the wait that holds back all messages, if the server has told it.
    private var waitEnd: WallTime?

    private var conversation: ConversationID?
    private var unread: [ConversationID: Int64] = [:]
    private var screen: Pairing.Screen?
    private var connection: String?
    private var wasConnected = false
    private var pairingNotice: ExactText?
    private var banner: ExactText?
    private var refusal: ExactText?
    private var suggestion: LongText?
    private var suggestionNote: ExactText?
    private var attached: [AttachmentID] = []
    private var requested: [DeviceID] = []

    /// A printed row.
    struct Said {
        let text: LongText
        let note: ExactText?
    }

    init(wording: Wording, almanac: Almanac = .system) {
        self.wording = wording
        self.almanac = almanac
    }

    /// The lines that have become final since the last call.
    mutating func news(_ state: ChatApp.State, at now: WallTime) -> [Line] {
        pairingNews(state) + connectionNews(state, now) + conversationNews(state) + rowNews(state, now)
            + attachmentNews(state)
            + assistantNews(state) + suggestionNews(state, now) + requestNews(state) + noticeNews(state)
    }

    // MARK: Pairing and connection

    private mutating func pairingNews(_ state: ChatApp.State) -> [Line] {
        let screen = Pairing.screen(state.pairing, wording)
        defer { self.screen = screen }
        guard screen != self.screen else { return [] }
        switch screen {
        case .waiting(let sentence, let code):
            // A connection that comes and goes does not change the code.
            let isKnown = if case .waiting(_, let known)? = self.screen { known == code } else { false }
            let told = isKnown ? nil : code
            return [Line(.news, sentence.string)] + (told.map { [Line(.news, $0.string)] } ?? [])
        case .failed(let sentence, _): return [Line(.warning, head: "! ", sentence.string)]
        case .finished:
            guard let session = state.pairing.session else { return [] }
            let user = session.credentials.user.text.string
            let admin = session.credentials.isAdmin ? ", an admin" : ""
            let typed = state.pairing.name.trimmed.string.lowercased()
            let known = typed.isEmpty || typed == user ? "" : ", as the server knows this device"
            let name = self.name(of: session.credentials.user, state)
            return [Line(.news, "Signed in as \(name)\(admin)\(known). /help lists the commands.")]
        case .restoring, .name: return []
        }
    }

    /// A person's name as it was typed, if the server only changed its letters to small ones.
    func name(of user: UserID, _ state: ChatApp.State) -> String {
        let user = user.text.string
        let typed = [state.pairing.name.trimmed.string, keptName ?? ""]
        return typed.first { $0.lowercased() == user } ?? user
    }

    /// The end of a wait behind its sentence, unless it is past.
    func until(_ end: WallTime?, _ now: WallTime) -> String {
        guard let end, end > now else { return "" }
        return " (until \(almanac.end(end, now: now)))"
    }

    /// The end of the wait that holds back all messages, as text.
    func waitTime(_ now: WallTime) -> String? { waitEnd.map { almanac.end($0, now: now) } }

    /// The end of the wait in a state.
    private func toldWait(_ state: ChatApp.State, _ now: WallTime) -> WallTime? {
        if case .failed(.toldToWait(let until)) = state.chat.connection { return until }
        guard Chat.connectionLine(state.chat, wording) == wording.serverAskedToWait else { return nil }
        let told = state.chat.conversations.flatMap { conversation in
            conversation.transcript.rows.newestFirst.prefix(Int(clamping: window))
                .compactMap { $0.value.wrappedValue.ending?.reason.waitUntil }
        }
        // A question that is asked again has lost the time of its refusal, and still waits for it.
        return (told.filter { $0 > now } + [waitEnd].compactMap { $0 }).max()
    }

    private mutating func connectionNews(_ state: ChatApp.State, _ now: WallTime) -> [Line] {
        let formerEnd = waitEnd
        waitEnd = state.pairing.session == nil ? nil : toldWait(state, now)
        guard state.pairing.session != nil else {
            connection = nil
            wasConnected = false
            return []
        }
        let sentence = Chat.connectionLine(state.chat, wording).map { sentence in
            switch state.chat.connection {
            // The fourth delay in a row begins 7 s or more after the loss.
            case .reconnecting(.backoff(let attempts, _)) where attempts > 3:
                sentence.string + " (/reconnect tries at once)"
            default: sentence.string
            }
        }
        // Before the first attempt, a missing connection is no news.
        if !wasConnected, sentence != nil, state.chat.connection == .disconnected { return [] }
        // A question tries a refused key again, and only its answer is news.
        if sentence == nil, connection == wording.signInAgain.string { return [] }
        let isNew = sentence != connection || waitEnd != formerEnd
        guard isNew || sentence == nil && !wasConnected else { return [] }
        connection = sentence
        // A person without a network has been told so.
        guard state.isNetworkUp else { return [] }
        guard let sentence else {
            defer { wasConnected = true }
            return [Line(.news, head: "* ", wasConnected ? "Connected again." : "Connected.")]
        }
        return [Line(.news, head: "* ", sentence + until(waitEnd, now))]
    }

    private mutating func noticeNews(_ state: ChatApp.State) -> [Line] {
        let notice = Pairing.notice(state.pairing, wording)
        let banner = Chat.banner(state.chat, wording)
        let refusal = Assistant.composer(state.assistant, wording).refusal
        defer { (self.pairingNotice, self.banner, self.refusal) = (notice, banner, refusal) }
        var lines: [Line] = []
        if let notice, notice != self.pairingNotice { lines.append(warning(notice)) }
        if let banner, banner != self.banner { lines.append(warning(banner)) }
        if let refusal, refusal != self.refusal { lines.append(warning(refusal)) }
        return lines
    }

    func warning(_ sentence: ExactText) -> Line { Line(.warning, head: "! ", sentence.string) }

    // MARK: Conversations

    /// The current conversation, and the messages in the others.
    private mutating func conversationNews(_ state: ChatApp.State) -> [Line] {
        guard state.pairing.session != nil else {
            unread = [:]
            return []
        }
        var lines: [Line] = []
        // The initial conversation needs no line.
        let former = conversation ?? .main
        for (index, row) in Chat.conversations(state.chat, wording).enumerated() {
            if row.isCurrent, row.id != former {
                lines.append(Line(.news, head: "* ", "You are in \(row.title.string)."))
            }
            // A replay may take messages away and tell them again, so it is over before its news is told.
            if case .replaying = state.chat.connection { continue }
            let before = unread[row.id] ?? 0
            unread[row.id] = row.isCurrent ? 0 : row.unread
            guard !row.isCurrent, row.unread > before else { continue }
            let count = row.unread == 1 ? "1 new message" : "\(row.unread) new messages"
            lines.append(Line(.news, head: "* ", "\(count) in \(row.title.string) (/switch \(index + 1))."))
        }
        return lines
    }

    // MARK: Other events

    /// Forgets the printed items when the person or the conversation changes.
    mutating func startOver(_ state: ChatApp.State) {
        let current = state.pairing.session == nil ? nil : state.chat.conversation.id
        guard current != conversation else { return }
        conversation = current
        said = [:]
    }

    private mutating func attachmentNews(_ state: ChatApp.State) -> [Line] {
        let stored = state.chat.conversation.draft.copied
        defer { attached = stored.map { $0.id } }
        return stored.filter { !attached.contains($0.id) }.map { file in
            Line(.news, head: "* ", "\(file.summary) goes with the next message, or with /send.")
        }
    }

    private mutating func requestNews(_ state: ChatApp.State) -> [Line] {
        let rows = Pairing.incomingRows(state.pairing)
        defer { requested = rows.map { $0.request.device } }
        return rows.filter { !requested.contains($0.request.device) }.map { row in
            let number = numbers.number(of: .request(row.request.device))
            let offer = "/approve \(number) as USER or /deny \(number)"
            return Line(.assistant, head: "\(number). ", "\(row.request.summary). (\(offer))")
        }
    }

    private mutating func suggestionNews(_ state: ChatApp.State, _ now: WallTime) -> [Line] {
        let selected = state.smartReplies.selected
        let bubble = Streaming.bubble(state.smartReplies.reply, wording)
        defer { (suggestion, suggestionNote) = (selected, bubble?.note) }
        var lines: [Line] = []
        if let selected, selected != suggestion {
            lines = [Line(.assistant, head: "suggestion: ", selected.string + " (/take or /dismiss)")]
        }
        if let note = bubble?.note, note != suggestionNote {
            let offer = bubble?.retry == nil ? "" : " (/retry or /dismiss)"
            let wait = until(bubble?.waitUntil, now)
            lines.append(Line(.warning, head: "! ", note.string + wait + offer))
        }
        return lines
    }
}
