// Which echoes are still to come (C10, C12, L6). What was put on a wire waits for its echo, by its id or, where
// the protocol names none, by its text. What went under several ids may be echoed under each, also in a later
// launch, and all of them mean the one row.

extension Chat.Conversation {
    /// From here on an echo with the text of this message may mean it (C10).
    mutating func expectEcho(of client: ClientID) {
        guard stream == nil, !unresolved.contains(client) else { return }
        // A server that never echoes leaves them here for good, so the oldest is forgotten (SPEC section 8).
        if unresolved.count >= 1_000 { unresolved.removeFirst() }
        unresolved.append(client)
    }

    /// A message goes again under another id. If its first copy has not been echoed, both echoes mean it: the
    /// first says where it stands and no more, least of all that the second has arrived.
    mutating func supersedeEcho(of old: ClientID, by client: ClientID) {
        superseded.removeAll { !unresolved.contains($0.old) }
        for index in superseded.indices where superseded[index].by == old { superseded[index].by = client }
        guard unresolved.contains(old), !superseded.contains(where: { $0.old == old }) else { return }
        superseded.append(Chat.Superseded(old: old, by: client))
    }

    /// The same for a message that an earlier launch has had go again.
    mutating func expectFirstEcho(_ old: ClientID, of client: ClientID) {
        guard let row = transcript.ordinal(of: client), transcript[row]?.id == nil,
            !superseded.contains(where: { $0.old == old })
        else { return }
        expectEcho(of: client)
        expectEcho(of: old, before: client)
        rememberCopies(row, of: old, and: client)
    }

    private mutating func expectEcho(of old: ClientID, before client: ClientID) {
        unresolved.removeAll { $0 == old }
        unresolved.insert(old, at: unresolved.firstIndex(of: client) ?? unresolved.count)
        supersedeEcho(of: old, by: client)
    }

    /// Keeps with the row which of its copies may still be echoed, so that a later launch knows it too. A message
    /// that has only ever had one id needs none of this.
    mutating func rememberCopies(_ row: Int64, of old: ClientID, and new: ClientID) {
        guard stream == nil, let message = transcript[row] else { return }
        var copies = message.unechoed
        if unresolved.contains(old), !copies.contains(old) { copies.append(old) }
        if !copies.contains(new) { copies.append(new) }
        guard copies.count > 1 || old != new || message.id != nil else { return }
        // A server that never echoes would make them more with each retry (L8).
        if copies.count > Self.copyLimit { copies.removeFirst(copies.count - Self.copyLimit) }
        guard copies != message.unechoed else { return }
        transcript.update(row) { $0.unechoed = copies }
    }

    /// Nobody goes to the server so often with one message in vain.
    private static var copyLimit: Int { 16 }

    /// Expects what an earlier launch expected of a message that went under several ids.
    mutating func expectEchoes(again message: Message) {
        guard stream == nil, !message.unechoed.isEmpty, let client = message.client else { return }
        if message.unechoed.contains(client) { expectEcho(of: client) }
        for old in message.unechoed where old != client && !superseded.contains(where: { $0.old == old }) {
            expectEcho(of: old, before: client)
        }
    }

    /// A copy was echoed, or never will be.
    mutating func forgetEcho(of client: ClientID, _ row: Int64) {
        unresolved.removeAll { $0 == client }
        superseded.removeAll { $0.old == client }
        guard transcript.read(row, { $0.unechoed.isEmpty }) == false else { return }
        transcript.update(row) { message in message.unechoed.removeAll { $0 == client } }
    }

    /// The row of what was put on a wire under an id, also when it has another by now.
    func row(sentAs client: ClientID) -> Int64? {
        if let row = transcript.ordinal(of: client) { return row }
        return superseded.first { $0.old == client }.flatMap { transcript.ordinal(of: $0.by) }
    }

    /// From here on a message that is loaded, was sent and has this text may be the one that was echoed.
    mutating func expectOriginal(of id: MessageID) {
        if strays.count >= 1_000 { strays.removeFirst() }
        strays.append(id)
    }

    /// Gives an echo that matched nothing the message that has now been loaded, the oldest with its text.
    mutating func adopt(_ client: ClientID, _ text: LongText) {
        guard transcript.ordinal(of: client) == nil, let row = takeStray(saying: text) else { return }
        transcript.name(row, client)
    }

    /// The same for what a page holds that is being loaded: its echo may have come in an earlier launch, and stand on
    /// a page that is loaded already.
    mutating func adopt(_ messages: [Message], on device: DeviceID?) {
        for message in messages {
            guard let client = message.client, case .text(let text) = message.body,
                message.id == nil || message.unechoed.contains(client),
                transcript.ordinal(of: client) == nil
            else { continue }
            guard let row = takeStray(saying: text) ?? takeStoredStray(saying: text) else { continue }
            transcript.name(row, client)
        }
        let echoes = messages.filter { $0.isUnclaimedEcho(on: device) }.compactMap { $0.id }
        storedStrays = Array((echoes + storedStrays).prefix(1_000))
    }

    /// The same for a message that waits to go, and would not go any more. As long as older pages are not loaded,
    /// the echo may be that of a message there: then this one goes again under its id, and the server says whether
    /// it has it (L5).
    mutating func adoptEcho(_ client: ClientID, _ text: LongText) {
        if transcript.pages.isWhole { adopt(client, text) }
    }

    /// The server has a message that was put on a wire before: an echo that matched nothing and has its text is
    /// its own. Returns whether there was one, whose row is the message's from now on.
    mutating func joinEcho(_ client: ClientID) -> Bool {
        guard !strays.isEmpty, let sent = transcript.ordinal(of: client), let message = transcript[sent],
            case .text(let text) = message.body, let row = takeStray(saying: text)
        else { return false }
        delivered += message.attachments
        forgetEcho(of: client, sent)
        transcript.remove(sent)
        transcript.name(row, client)
        return true
    }

    /// The row of the oldest echo with a text that matched nothing; it has found its message now.
    private mutating func takeStray(saying text: LongText) -> Int64? {
        let found = strays.firstIndex { isStray($0, saying: text) }
        return found.flatMap { transcript.ordinal(of: strays.remove(at: $0)) }
    }

    private mutating func takeStoredStray(saying text: LongText) -> Int64? {
        let found = storedStrays.firstIndex { isStray($0, saying: text) }
        return found.flatMap { transcript.ordinal(of: storedStrays.remove(at: $0)) }
    }

    private func isStray(_ id: MessageID, saying text: LongText) -> Bool {
        guard let message = transcript.ordinal(of: id).flatMap({ transcript[$0] }) else { return false }
        return message.client == nil && message.body == .text(text)
    }
}

extension Message {
    /// Whether it is an echo that names no message, of something that was written on this device as far as one can
    /// tell.
    fileprivate func isUnclaimedEcho(on device: DeviceID?) -> Bool {
        role == .user && client == nil && (self.device == nil || self.device == device)
    }
}
