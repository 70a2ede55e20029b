// The words in which the tests of chat speak: a conversation at each place of the story in one line.

import Testing

@testable import ChatDomain

extension Driver where F == Chat {
    static let account = Account(user: "kay", secret: SecretHandle("handle"), device: "device-1")
    static let epoch = WallTime(millisecondsSince1970: 2_000_000_000)

    /// Before anybody is signed in.
    static func fresh(seed: UInt64 = 1, _ change: (inout Chat.Configuration) -> Void = { _ in }) -> Self {
        var configuration = Chat.Configuration()
        change(&configuration)
        return Driver(
            Chat(configuration: configuration), state: Chat.State(configuration: configuration), seed: seed)
    }

    /// Signed in and restored from a disk, and not shown yet.
    static func restored(
        _ disk: inout Disk<Chat>, seed: UInt64 = 1, _ change: (inout Chat.Configuration) -> Void = { _ in }
    ) -> Self {
        var driver = fresh(seed: seed, change)
        driver.send(.signedIn(account))
        driver.serve(from: &disk)
        return driver
    }

    /// Restored from an empty disk, and shown: the socket is being opened.
    static func connecting(
        seed: UInt64 = 1, _ change: (inout Chat.Configuration) -> Void = { _ in }
    ) -> Self {
        var disk = Disk<Chat>()
        var driver = restored(&disk, seed: seed, change)
        driver.send(.shown)
        driver.answer(pacingKey, with: .saved)
        return driver
    }

    /// Connected for the first time, with nothing replayed.
    static func connected(
        seed: UInt64 = 1, _ change: (inout Chat.Configuration) -> Void = { _ in }
    ) -> Self {
        var driver = connecting(seed: seed, change)
        driver.finishConnecting()
        return driver
    }

    /// Restored from a disk, and connected with nothing replayed.
    static func connected(_ disk: inout Disk<Chat>, seed: UInt64 = 1) -> Self {
        var driver = restored(&disk, seed: seed)
        driver.send(.shown)
        driver.finishConnecting()
        return driver
    }

    // MARK: The server

    /// The open socket brings something; there must be one.
    @discardableResult
    mutating func hear(
        _ event: Chat.Event, location: SourceLocation = #_sourceLocation
    ) -> [Chat.Effect] {
        guard let call = socket else {
            Issue.record("no socket is open", sourceLocation: location)
            return []
        }
        return send(.received(event, on: call))
    }

    /// The open socket breaks; there must be one.
    @discardableResult
    mutating func lose(
        _ end: CallEnd = .failed(.lost), location: SourceLocation = #_sourceLocation
    ) -> [Chat.Effect] {
        guard let call = socket else {
            Issue.record("no socket is open", sourceLocation: location)
            return []
        }
        return self.end(call, end)
    }

    /// The newest socket.
    var socket: Chat.Call? {
        calls.last { if case .socket = $0.call { true } else { false } }?.call
    }

    /// The uploads that are open, oldest first.
    var uploads: [Chat.Call] {
        calls.compactMap { if case .upload = $0.call { $0.call } else { nil } }
    }

    mutating func finishConnecting(replaying messages: [IncomingMessage] = []) {
        hear(.opened)
        hear(.authenticated(replayCount: Int64(messages.count), isTruncated: false, isReset: false))
        for message in messages { hear(.message(message)) }
    }

    /// Waits for the next attempt to connect, and lets it succeed.
    mutating func reconnect(replaying messages: [IncomingMessage] = []) {
        while calls.isEmpty, let next = remaining(.reconnect) { advance(by: next) }
        finishConnecting(replaying: messages)
    }

    static func echo(
        _ id: MessageID, _ text: ExactText, client: ClientID? = nil, at second: Int64 = 0,
        from device: DeviceID? = nil
    ) -> IncomingMessage {
        IncomingMessage(
            id: id, client: client, role: .user, text: text, time: epoch + .seconds(second), device: device,
            isGrowing: false)
    }

    static func reply(
        _ id: MessageID, _ text: ExactText, at second: Int64 = 0, isGrowing: Bool = false
    ) -> IncomingMessage {
        IncomingMessage(
            id: id, role: .assistant, text: text, time: epoch + .seconds(second), isGrowing: isGrowing)
    }

    // MARK: The person

    mutating func say(_ text: ExactText) {
        send(.draftEdited(text))
        send(.sent)
    }

    /// Says something; the outbox is saved, so it goes on the wire if it can.
    mutating func sayDurably(_ text: ExactText) {
        say(text)
        save()
    }

    /// Every pending storage operation succeeds.
    mutating func save() {
        var disk = Disk<Chat>()
        serve(from: &disk)
    }

    /// Answers the pending save of the outbox.
    @discardableResult
    mutating func answerOutbox(with answer: StorageAnswer<Chat.Record>) -> [Chat.Effect] {
        self.answer(Self.outboxKey, with: answer)
    }

    static let listKey = Chat.Key.conversations("kay")
    static let pacingKey = Chat.Key.pacing("kay")
    static let outboxKey = Chat.Key.outbox("kay", .main)
    static let draftKey = Chat.Key.draft("kay", .main)
    static let contentsKey = Chat.Key.contents("kay", .main)
    /// The text of the draft on a disk.
    static func draft(on disk: Disk<Chat>) -> ExactText? {
        if case .draft(let text, _, _) = disk[draftKey] { text } else { nil }
    }

    /// The messages in the record of the outbox.
    func outbox(on disk: Disk<Chat>) -> [OutboxEntry] {
        if case .outbox(let entries) = disk[Self.outboxKey] { entries } else { [] }
    }

    /// The texts of the drafts that wait to be saved, oldest first.
    var draftsToBeSaved: [ExactText] {
        storage.compactMap { operation in
            if case .save(.draft(let text, _, _)) = operation.work { text } else { nil }
        }
    }

    static func pageKey(_ page: Int64) -> Chat.Key { .page("kay", .main, page) }

    // MARK: Looking

    var rows: [Chat.Row] { Chat.rows(state, newest: 100_000, .neutral) }
    var texts: [String] { rows.map { $0.text.string } }
    var statuses: [Chat.SendStatus?] { rows.map { $0.status } }
    var draft: ExactText { state.conversation.draft.text }

    /// What went on a wire, in order.
    var said: [ExactText] {
        sent.compactMap { sent in if case .say(_, _, let text, _) = sent.frame { text } else { nil } }
    }
    var saidIDs: [ClientID] {
        sent.compactMap { sent in if case .say(let client, _, _, _) = sent.frame { client } else { nil } }
    }
    /// The newest of them, found without a list of all.
    var newestSaidID: ClientID? {
        for sent in sent.reversed() { if case .say(let client, _, _, _) = sent.frame { return client } }
        return nil
    }
    /// What else went on a wire, in order.
    var signals: [Chat.Frame] {
        sent.compactMap { sent in if case .say = sent.frame { nil } else { sent.frame } }
    }
    var stops: [Chat.Frame] { signals.filter { if case .stop = $0 { true } else { false } } }
    var notes: [ExactText?] { rows.map { $0.note } }
    /// The ids of what waits in the outbox, first in, first out.
    var queued: [ClientID] { state.conversation.outbox.queue.elements.map { $0.id } }

    /// The cursors with which the newest socket was opened.
    var askedCursors: [Chat.Cursor] {
        if case .connect(_, _, let cursors) = calls.last?.request { cursors } else { [] }
    }

    /// The cursor of the conversation that there always is, with which the newest socket was opened.
    var askedCursor: MessageID? {
        askedCursors.first { $0.conversation == .main }?.last
    }

    var isConnected: Bool { if case .connected = state.connection { true } else { false } }
    var isReconnecting: Bool { if case .reconnecting = state.connection { true } else { false } }
    var failure: Chat.ConnectionFailure? {
        if case .failed(let failure) = state.connection { failure } else { nil }
    }
}

// Several conversations.
extension Driver where F == Chat {
    var listed: [Chat.ConversationRow] { Chat.conversations(state, .neutral) }
    var titles: [ExactText] { listed.map { $0.title } }

    /// Begins a conversation, and looks at it.
    @discardableResult
    mutating func create(_ title: ExactText) -> ConversationID {
        send(.conversationCreated(title: title))
        return state.conversation.id
    }

    static func reply(
        _ id: MessageID, _ text: ExactText, at second: Int64 = 0, in conversation: ConversationID?
    ) -> IncomingMessage {
        IncomingMessage(
            id: id, conversation: conversation, role: .assistant, text: text,
            time: epoch + .seconds(second), isGrowing: false)
    }
}
