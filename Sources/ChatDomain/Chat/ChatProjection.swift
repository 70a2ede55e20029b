// What the chat screen shows, computed from the state (SPEC R3): rows, indicators, the composer, the banner
// and the line about the connection. A front end draws these and decides nothing.

extension Chat {
    /// One row of the screen.
    public struct Row: PlainValue, Identifiable {
        /// The same for the same message as long as it is shown, but for a retry under a new client id (C12).
        public let id: ID
        /// Who says it.
        public let role: Message.Role
        /// What it says, as far as it has come.
        public let text: LongText
        /// Its files.
        public let attachments: [Attachment]
        /// When.
        public let time: WallTime
        /// The mark beside a message of the person.
        public let status: Message.Status?
        /// Whether more of it is coming.
        public let isGrowing: Bool
        /// What is to be said below it.
        public let note: ExactText?
        /// What a person can do about it.
        public let offer: Offer
        /// When the server may be asked again, if it has said so; the front end adds it to the note.
        public internal(set) var waitUntil: WallTime?

        /// What a person can do about a message.
        public enum Offer: PlainValue {
            /// Delete it.
            case nothing
            /// Change it, or delete it.
            case edit
            /// Have it sent or answered after all, or change or delete it (C12).
            case retry
            /// Say whether it is to go, because it was written long ago (SPEC section 8): approve it, or delete it.
            case consent
            /// Have it end (C20).
            case stop
        }

        /// Names a row.
        public enum ID: PlainValue {
            /// A message that was written here.
            case written(ClientID)
            /// A message that came from the server.
            case received(MessageID)
            /// A message that has neither name; there is none on the wire.
            case unnamed(Int64)
        }
    }

    /// What stands in the composer and what can be done with it.
    public struct Composer: PlainValue {
        /// The text.
        public let text: ExactText
        /// The files.
        public let attachments: [Attachment]
        /// Whether sending would do anything.
        public let canSend: Bool
        /// Whether files are taken here at all.
        public let takesFiles: Bool
    }

    /// The newest rows, at most that many, and after them what waits in the outbox. O(rows returned), and what
    /// is passed over among them because it is deleted.
    public static func rows(_ state: State, newest limit: Int64, _ copy: Copy) -> [Row] {
        let conversation = state.conversation
        var rows: [Row] = []
        for row in conversation.transcript.rows.newestFirst {
            guard rows.count < limit else { break }
            guard let shown = self.row(row.value, row.ordinal, conversation, copy) else { continue }
            rows.append(shown)
        }
        rows.reverse()
        for outgoing in conversation.outbox.parked
        where conversation.transcript.ordinal(of: outgoing.id) == nil {
            let failure = outgoing.failure ?? .uploadFailed
            rows.append(
                Row(
                    id: .written(outgoing.id), role: .user, text: LongText(outgoing.entry.text.string),
                    attachments: outgoing.entry.attachments, time: outgoing.entry.written,
                    status: .failed(failure), isGrowing: false, note: sentence(failure, copy),
                    offer: offer(failure), waitUntil: failure.waitUntil))
        }
        for outgoing in conversation.outbox.queue.elements
        where !conversation.hasRow(outgoing) {
            rows.append(
                Row(
                    id: .written(outgoing.id), role: .user, text: LongText(outgoing.entry.text.string),
                    attachments: outgoing.entry.attachments, time: outgoing.entry.written,
                    status: conversation.outbox.percent(of: outgoing.id).map { .uploading(percent: $0) }
                        ?? .queued,
                    isGrowing: false,
                    note: note(outgoing, state, copy),
                    offer: outgoing.consent == .asked ? .consent : .edit))
        }
        return rows
    }

    /// What is said below a message that waits in the outbox.
    private static func note(_ outgoing: Outgoing, _ state: State, _ copy: Copy) -> ExactText? {
        if outgoing.consent == .asked { return copy.heldMessage }
        let isHeldBack = state.uploads.pausedUntil != nil && !outgoing.entry.isReady
        return isHeldBack ? copy.serverAskedToWait : nil
    }

    /// What a person can do about a message that was not sent: a file that is gone does not come back.
    private static func offer(_ failure: SendFailure) -> Row.Offer {
        if case .fileMissing = failure { .nothing } else { .retry }
    }

    /// What is to be done about the place that the person looks at.
    public enum Scroll: PlainValue {
        /// Keep the newest message in sight.
        case toEnd
        /// Stay, and say how many messages have come since.
        case stay(unread: Int64)
    }

    /// Where to scroll to (C22).
    public static func scroll(_ state: State) -> Scroll {
        switch state.conversation.viewport {
        case .atEnd: .toEnd
        case .elsewhere(let unread), .away(let unread, _): .stay(unread: unread)
        }
    }

    /// Whether a reply is coming of which nothing can be seen yet (S1).
    public static func isTyping(_ state: State) -> Bool {
        isTyping(state.conversation, state.connection)
    }

    static func isTyping(_ conversation: Conversation, _ connection: Connection) -> Bool {
        isSending(conversation, connection) || conversation.typing.isIncoming
            || conversation.stream?.isTyping == true || conversation.growing.contains { $0.shown.isEmpty }
    }

    /// Whether a message is on its way (C15): not after the connection has ended, however it stands.
    public static func isSending(_ state: State) -> Bool {
        isSending(state.conversation, state.connection)
    }

    private static func isSending(_ conversation: Conversation, _ connection: Connection) -> Bool {
        if let stream = conversation.stream {
            guard case .waiting = stream.phase else { return false }
            return stream.isTyping
        }
        guard connection.link != nil else { return false }
        let isExpected = { (client: ClientID) in
            !conversation.unwanted.contains(client) && conversation.answeredEarly != client
        }
        if let client = conversation.outbox.clientOut, isExpected(client) { return true }
        return conversation.awaitingReply.contains(where: isExpected)
    }

    /// The composer.
    public static func composer(_ state: State) -> Composer {
        let draft = state.conversation.draft
        let hasSomething = !draft.text.trimmed.isEmpty || !draft.attachments.isEmpty
        return Composer(
            text: draft.text, attachments: draft.attachments,
            canSend: state.account != nil && hasSomething && draft.copies.isEmpty,
            takesFiles: state.conversation.stream == nil)
    }

    /// The banner, if there is something to say.
    public static func banner(_ state: State, _ copy: Copy) -> ExactText? {
        switch state.conversation.banner {
        case nil: nil
        case .outboxFull: copy.outboxFull
        case .textTooLong: copy.longMessage
        case .tooManyAttachments: copy.tooManyAttachments
        case .attachmentTooLarge: copy.attachmentTooLarge
        case .filesNotTaken: copy.filesNotTaken
        case .tooManyConversations: copy.tooManyConversations
        case .conversationHasUnsent: copy.conversationHasUnsent
        case .notSaved(let failure): copy.notSaved(copy.reason(failure))
        case .notRestored(let failure): copy.notRestored(copy.reason(failure))
        case .serverError(let sentence): sentence.withoutControlCharacters
        case .replayTruncated: copy.replayTruncated
        }
    }

    /// The line about the connection, if there is something to say.
    public static func connectionLine(_ state: State, _ copy: Copy) -> ExactText? {
        guard state.conversation.stream == nil else {
            if !state.isNetworkUp || state.obstacle == .offline { return copy.offline }
            if state.obstacle == .credentialsRefused { return copy.signInAgain }
            return state.sending.pausedUntil == nil ? nil : copy.serverAskedToWait
        }
        return switch state.connection {
        case .connected, .replaying: nil
        case .disconnected: copy.notConnected
        case .connecting, .authenticating: copy.connecting
        case .reconnecting(.offline): copy.offline
        case .reconnecting(.backoff): copy.reconnecting
        case .failed(.exhausted(let end)): copy.connectFailed(reason(end, copy))
        case .failed(.sessionReplaced): copy.sessionReplaced
        case .failed(.credentialsRefused): copy.signInAgain
        case .failed(.toldToWait): copy.serverAskedToWait
        }
    }

    /// The row of the transcript in which something has happened last: the newest that is shown, but where a
    /// question was asked once more, its own or that of its reply.
    static func latestRow(_ state: State, _ copy: Copy) -> Row? {
        if let ordinal = state.conversation.latestAnswered,
            let message = state.conversation.transcript[ordinal],
            let row = row(message, ordinal, state.conversation, copy)
        {
            return row
        }
        for row in state.conversation.transcript.rows.newestFirst {
            if let row = self.row(row.value, row.ordinal, state.conversation, copy) { return row }
        }
        return nil
    }

    private static func row(
        _ message: Message, _ ordinal: Int64, _ conversation: Conversation, _ copy: Copy
    ) -> Row? {
        let id: Row.ID =
            if let client = message.client {
                message.role == .user ? .written(client) : .received(MessageID(client.text))
            } else if let id = message.id { .received(id) } else { .unnamed(ordinal) }
        guard !message.isHidden else { return nil }
        var text: LongText
        var note: ExactText?
        var offer: Row.Offer = message.client == nil || message.role != .user ? .nothing : .edit
        var isGrowing = false
        var waitUntil: WallTime?
        switch message.body {
        case _
        where message.role == .assistant && message.client?.question.map(conversation.isAsking) == true:
            text = conversation.stream?.inView ?? LongText()
            isGrowing = true
            offer = .stop
        case .text(let whole): text = whole
        case .interrupted(let partial, .stopped) where partial.isEmpty: return nil  // nothing of it was seen
        case .interrupted(let partial, let interruption):
            text = partial
            note = sentence(interruption, hasText: !partial.isEmpty, copy)
            offer = conversation.canAskAgain(ordinal) ? .retry : .nothing
            waitUntil = message.waitUntil
        case .growing:
            guard let reply = conversation.growing.first(where: { $0.id == message.id }),
                !reply.shown.isEmpty
            else { return nil }
            text = reply.shown
            isGrowing = true
            offer = .stop
        }
        if case .failed(let failure) = message.status {
            note = sentence(failure, copy)
            offer = self.offer(failure)
            waitUntil = message.waitUntil
        }
        if let client = message.client, conversation.isHeld(client) {
            note = copy.heldMessage
            offer = .consent
        }
        return Row(
            id: id, role: message.role, text: text, attachments: message.attachments, time: message.time,
            status: message.status,
            isGrowing: isGrowing, note: note, offer: offer, waitUntil: waitUntil)
    }

    private static func sentence(
        _ interruption: Interruption, hasText: Bool, _ copy: Copy
    ) -> ExactText? {
        switch interruption {
        case .lost, .timedOut: hasText ? copy.lostAfterText : copy.lostBeforeText
        case .failed(let reason): reason.isEmpty ? copy.replyFailed : reason.withoutControlCharacters
        case .tooLong: copy.replyTooLong
        case .stopped: nil
        case .ended(let reason, _): Streaming.sentence(reason, hasText: hasText, copy)
        }
    }

    private static func sentence(_ failure: SendFailure, _ copy: Copy) -> ExactText? {
        switch failure {
        case .rejected(let reason), .replyFailed(let reason):
            copy.sendFailed(reason.isEmpty ? copy.reasons.refused : reason.withoutControlCharacters)
        case .noReply: copy.noReply
        case .uploadFailed: copy.uploadFailed
        case .filesNotTaken: copy.filesNotTaken
        case .fileMissing: copy.fileMissing
        case .ended(let reason, _): Streaming.sentence(reason, hasText: false, copy)
        }
    }

    private static func reason(_ end: CallEnd, _ copy: Copy) -> ExactText {
        switch end {
        case .failed(let failure): copy.reason(failure)
        case .refused(_, _, let message):
            message.isEmpty ? copy.reasons.refused : message.withoutControlCharacters
        case .completed, .closed: copy.reasons.lost
        }
    }
}
