// Commands for printed messages, and for the draft and its files.

import ChatDomain

extension Situation {
    // MARK: References

    /// The row that a command refers to; nil if there is none.
    private func row(_ which: Command.Which, orLast isMeant: (Chat.Row) -> Bool) -> Chat.Row? {
        switch which {
        case .last: return rows.last { numbers.shownNumber(of: .row($0.id)) != nil && isMeant($0) }
        case .number(let number):
            guard case .row(let id) = numbers.subject(number) else { return nil }
            return rows.first { $0.id == id }
        }
    }

    private func noSuch(_ which: Command.Which, _ last: String) -> [Step] {
        switch which {
        case .last: [.refuse(last)]
        case .number(let number): [.refuse("There is no message \(number).")]
        }
    }

    /// The name of a row in a sentence: its number, or “this” for a row without one.
    private func name(_ row: Chat.Row) -> String {
        numbers.shownNumber(of: .row(row.id)).map { "\($0)" } ?? "this"
    }

    // MARK: Sending

    func send(_ which: Command.Which) -> [Step] {
        if which == .last, !state.chat.conversation.isCopied { return [Self.copying] }
        if which == .last, Chat.composer(state.chat).canSend {
            return [.act([.chat(.bannerDismissed)]), .act([.chat(.sent)]), .recall(former: "")]
        }
        let held = rows.first { $0.offer == .consent }
        guard let row = which == .last ? held : row(which, orLast: { _ in false }) else {
            return noSuch(which, "There is no draft and no held message.")
        }
        guard row.offer == .consent, case .written(let client) = row.id else {
            return [.refuse("Message \(name(row)) is not held.")]
        }
        return [.act([.chat(.heldApproved(client))])]
    }

    var discard: [Step] {
        let draft = state.chat.conversation.draft
        guard !draft.text.isEmpty || !draft.attachments.isEmpty else {
            return [.refuse("There is no draft.")]
        }
        let files = draft.attachments.map { ChatApp.Action.chat(.attachmentRemoved($0.id)) }
        return [.act([.chat(.draftEdited(""))] + files), .tell("The draft is gone.")]
    }

    func retry(_ which: Command.Which) -> [Step] {
        if case .number(let number) = which, case .question(let id) = numbers.subject(number) {
            return canRetry(id)
                ? [.act([.assistant(.retried(id))])]
                : [.refuse("Question \(number) needs no retry.")]
        }
        let isFailedSuggestion = suggestion?.retry != nil
        if which == .last, isFailedSuggestion { return [.act([.smartReplies(.retried)])] }
        let row = row(which, orLast: { $0.offer == .retry })
        if which == .last, let question = lastQuestionToRetry, question.number > number(row) {
            return [.act([.assistant(.retried(question.id))])]
        }
        guard let row else { return noSuch(which, "There is nothing to retry.") }
        guard row.offer == .retry else { return [.refuse("Message \(name(row)) needs no retry.")] }
        let wait = waitTime.map {
            [Step.tell("The server wants to be left alone until \($0); message \(name(row)) waits for that.")]
        }
        return (wait ?? []) + [.act([.chat(.retried(row.id))])]
    }

    private func number(_ row: Chat.Row?) -> Int {
        row.flatMap { numbers.shownNumber(of: .row($0.id)) } ?? 0
    }

    func stop(_ which: Command.Which) -> [Step] {
        let growing = rows.filter { $0.offer == .stop }
        let row =
            switch which {
            case .last: growing.last
            case .number(let number): growing.first { numbers.shownNumber(of: .row($0.id)) == number }
            }
        if let row { return [.act([.chat(.replyStopped(row.id))])] }
        if which == .last, state.smartReplies.reply.isRunning {
            return [.act([.smartReplies(.dismissed)]), .tell("The suggestion is not waited for any more.")]
        }
        if which == .last, Chat.isSending(state.chat) || Chat.isTyping(state.chat) {
            return [.act([.chat(.waitingStopped)]), .tell("The reply is not waited for any more.")]
        }
        switch which {
        case .last: return [.refuse("No reply is coming in.")]
        case .number(let number): return [.refuse("No reply \(number) is coming in.")]
        }
    }

    // MARK: Changing

    func edit(_ which: Command.Which, _ text: String?) -> [Step] {
        guard let row = row(which, orLast: { $0.isMine }) else {
            return noSuch(which, "There is no message of yours.")
        }
        guard row.isMine, case .written(let client) = row.id else {
            return [.refuse("Message \(name(row)) was not written here.")]
        }
        guard let text else {
            let line = "/edit \(name(row)) \(row.text.string)"
            return [.fill(line, orSay: "What is message \(name(row)) to say? Usage: \(Verb.edit.usage)")]
        }
        let edit = Step.act([.chat(.bannerDismissed), .chat(.messageEdited(client, ExactText(text)))])
        guard row.wentOut else { return [edit] }
        return [.tell("Message \(name(row)) has gone already: the new text goes behind it."), edit]
    }

    func delete(_ which: Command.Which) -> [Step] {
        guard let row = row(which, orLast: { $0.isMine }) else {
            return noSuch(which, "There is no message of yours.")
        }
        let sentence =
            if row.isMine && !row.wentOut {
                "Message \(name(row)) is deleted."
            } else if row.isKnownToServer {
                "Message \(name(row)) is hidden here; the server has it."
            } else {
                "Message \(name(row)) is hidden here; the server may have it."
            }
        return [.act([.chat(.deleted(row.id))]), .tell(sentence)]
    }

    // MARK: Files

    var files: [Line] {
        let attachments = Chat.composer(state.chat).attachments
        guard !attachments.isEmpty else { return [Line(.program, "No files. /attach FILE adds one.")] }
        return attachments.enumerated().map { index, attachment in
            Line(
                .program, head: "\(index + 1). ",
                "\(attachment.summary), \(attachment.mimeType.string)")
        }
    }

    func detach(_ which: Command.Which) -> [Step] {
        let attachments = Chat.composer(state.chat).attachments
        let index =
            switch which {
            case .last: attachments.count - 1
            case .number(let number): number - 1
            }
        guard attachments.indices.contains(index) else {
            let sentence = "There is no file \(index + 1); /files shows the numbers."
            return [.refuse(attachments.isEmpty ? "There are no files." : sentence)]
        }
        let attachment = attachments[index]
        return [
            .act([.chat(.attachmentRemoved(attachment.id))]), .tell("\(attachment.summary) is out again."),
        ]
    }
}

extension Chat.Row {
    /// The id for a suggestion's request; nil for a row of this device or one without an id.
    var messageID: MessageID? {
        switch id {
        case .received(let id): id
        case .answer(let question): MessageID(question.text)
        case .written, .unnamed: nil
        }
    }

    /// Whether the person wrote the message on this device.
    var isMine: Bool {
        if case .written = id { role == .user } else { false }
    }

    /// Whether the server is known to have the message.
    fileprivate var isKnownToServer: Bool {
        switch status {
        case nil, .accepted, .delivered: true
        case .queued, .uploading, .sending, .slow, .failed: false
        }
    }

    /// Whether the message was sent and not rejected: the server may have it.
    var wentOut: Bool {
        switch status {
        case nil, .queued, .uploading, .failed(.rejected), .failed(.uploadFailed), .failed(.fileMissing),
            .failed(.filesNotTaken):
            false
        case .sending, .slow, .accepted, .delivered, .failed: true
        }
    }
}

extension Chat.Attachment {
    /// The file's name, or its type if it has none, and its size.
    var summary: String {
        let title = [name, mimeType].first { !$0.isEmpty } ?? "file"
        return "\(title.string) (\(FileSize.text(byteCount)))"
    }
}
