// The lines for messages, and for questions to the assistant: each once when it is final, again when its text has
// changed, and the note below it when that is new.

import ChatDomain

extension Narrator {
    // MARK: Messages

    mutating func rowNews(_ state: ChatApp.State, _ now: WallTime) -> [Line] {
        startOver(state)
        // A line that is printed cannot move, so what a launch loads is printed when its order is known (C16).
        guard state.pairing.session != nil, state.chat.conversation.isRestored else { return [] }
        let rows = Chat.rows(state.chat, newest: window, wording).filter { !$0.isGrowing }
        var lines: [Line] = []
        // The cancelled replies are looked up only when one may be new: most states bring none.
        let isNews = rows.contains { said[$0.id]?.text != $0.text }
        let cancelled = isNews ? cancelled(state, rows) : [:]
        for row in rows {
            let before = said[row.id]
            let number = numbers.number(of: .row(row.id))
            if before?.text != row.text {
                lines.append(line(row, number, state, now))
                if let reason = cancelled[row.id] { lines.append(Self.mark(reason, number)) }
            }
            if let note = row.note, note != before?.note { lines.append(self.note(note, row, number, now)) }
            said[row.id] = Said(text: row.text, note: row.note)
        }
        return lines
    }

    /// The line below a cancelled reply. A reply that ended with the program was wanted.
    private static func mark(_ reason: Streaming.Reason, _ number: Int) -> Line {
        let mark = reason == .left ? "(cut off; /retry \(number) asks again)" : "(stopped)"
        return Line(.passing, head: "   ", mark, hanging: 3)
    }

    /// The reasons of the replies that the person has stopped or left. A row of the library has no sentence for that
    /// (L7); beside other replies in a terminal such a reply would look complete.
    private func cancelled(
        _ state: ChatApp.State, _ rows: [Chat.Row]
    ) -> [Chat.Row.ID: Streaming.Reason] {
        var found: [Chat.Row.ID: Streaming.Reason] = [:]
        // Hidden messages may be between the rows.
        for (_, message) in state.chat.conversation.transcript.rows.newestFirst.prefix(2 * rows.count) {
            guard case .interrupted(_, let ending) = message.wrappedValue.body,
                ending.reason == .stopped || ending.reason == .left
            else { continue }
            if let id = message.wrappedValue.id { found[.received(id)] = ending.reason }
            if case .assistant(let question?, _) = message.wrappedValue.author {
                found[.answer(to: question)] = ending.reason
            }
        }
        return found
    }

    /// Extends the window into the past, because older messages were requested.
    mutating func lookBack() {
        window += 100  // two stored pages
    }

    /// The newest messages, each with its state.
    mutating func overview(_ state: ChatApp.State, count: Int, at now: WallTime) -> [Line] {
        guard state.pairing.session != nil else { return [Line(.program, "There are no messages.")] }
        let rows = Chat.rows(state.chat, newest: Int64(clamping: count), wording)
            .filter { !$0.isGrowing }
        guard !rows.isEmpty else { return [Line(.program, "There are no messages.")] }
        let cancelled = cancelled(state, rows)
        var lines: [Line] = []
        for row in rows.suffix(count) {
            let number = numbers.number(of: .row(row.id))
            let status = row.status.map { " (\(self.word($0)))" } ?? ""
            lines.append(line(row, number, state, now, isLong: true, behind: status))
            if let reason = cancelled[row.id] { lines.append(Self.mark(reason, number)) }
            if let note = row.note { lines.append(self.note(note, row, number, now)) }
        }
        return lines
    }

    private func word(_ status: Chat.SendStatus) -> String {
        switch status {
        case .queued: "waiting"
        case .uploading(let percent): "uploading, \(percent) %"
        case .sending: "on its way"
        case .slow: "on its way, slowly"
        case .accepted: "with the server"
        case .delivered: "delivered"
        case .failed: "failed"
        }
    }

    func line(
        _ row: Chat.Row, _ number: Int, _ state: ChatApp.State, _ now: WallTime, isLong: Bool = false,
        behind: String = ""
    ) -> Line {
        let speaker =
            switch row.role {
            case .user: state.account.map { name(of: $0.user, state) } ?? "me"
            case .assistant: row.sender?.string ?? "assistant"
            case .system: "system"
            }
        // A new message is shown without its time.
        let isOld = now - row.time >= .minutes(1)
        let time = isOld || isLong ? " (\(almanac.ago(row.time, now: now, wording)))" : ""
        let files = row.attachments.map { "[\($0.summary)]" }
        // A message of files alone has the name of its first file as its text.
        let isNamed = row.attachments.first.map { row.text.string == $0.name.string } ?? false
        let text = row.text.isEmpty || isNamed ? files : [row.text.string] + files
        return Line(
            row.role == .user ? .mine : .theirs,
            head: "\(number). \(speaker)\(time): ", text.joined(separator: " ") + behind,
            isMarkdown: row.role == .assistant, message: isLong ? nil : row.id)
    }

    private func note(_ note: ExactText, _ row: Chat.Row, _ number: Int, _ now: WallTime) -> Line {
        let offer =
            switch row.offer {
            case .retry: " (/retry \(number) or /delete \(number))"
            case .consent: " (/send \(number) or /delete \(number))"
            case .nothing, .edit, .stop: ""
            }
        return Line(.warning, head: "   ! ", note.string + until(row.waitUntil, now) + offer, hanging: 5)
    }

    // MARK: Questions

    mutating func assistantNews(_ state: ChatApp.State) -> [Line] {
        guard state.assistant.conversation != nil else {
            for case .question(let id) in saidExchanges.keys { numbers.forget(.question(id)) }
            saidExchanges = [:]
            return []
        }
        var lines: [Line] = []
        for row in Assistant.rows(state.assistant, wording) {
            let before = saidExchanges[row.id]
            let (sentence, offer) = below(row)
            if before == nil { lines.append(line(row)) }
            if let sentence, sentence != before ?? nil {
                lines.append(Line(.warning, head: "   ! ", sentence.string + offer, hanging: 5))
            }
            saidExchanges[row.id] = .some(sentence)
        }
        return lines
    }

    private mutating func line(_ row: Assistant.Row) -> Line {
        switch row.id {
        case .question(let id):
            let number = numbers.number(of: .question(id))
            return Line(.mine, head: "\(number). asked AI: ", row.text.string)
        case .answer: return Line(.assistant, head: "   AI: ", row.text.string, isMarkdown: true)
        }
    }

    /// The note below a question or an answer, and the command that can help.
    private mutating func below(_ row: Assistant.Row) -> (ExactText?, String) {
        switch row.mark {
        case .awaitingSlot(let sentence), .cut(let sentence): return (sentence, "")
        case .failed(let sentence, _):
            guard case .question(let id) = row.id else { return (sentence, "") }
            return (sentence, " (/retry \(numbers.number(of: .question(id))))")
        case .waiting, .thinking, .held, nil: return (nil, "")
        }
    }
}
