// The laws about what a screen offers, says and counts, and about consent to old messages. The cheap ones compare a
// screen with what the person has done before; an offer is tried on a copy of the state.

import ChatDomain
import ChatEffects

/// The consent of the person to an old message.
struct Approval: PlainValue {
    let client: ClientID
    let written: WallTime
}

extension Approval {
    fileprivate init(_ entry: OutboxEntry) { self.init(client: entry.client, written: entry.written) }
}

extension Simulation {
    // MARK: Consent

    /// Enters the consent to an old message.
    mutating func noteConsent(_ action: ChatApp.Action) {
        guard case .chat(.heldApproved(let name)) = action else { return }
        let asked = state.chat.conversation.outbox.queue.waiting.first {
            $0.consent == .asked && ($0.id == name || $0.entry.client == name)
        }
        if let asked { devices[here].approved.append(Approval(asked.entry)) }
    }

    /// Checks that an old message leaves a device only after the person's consent.
    mutating func checkConsent(to operation: DriverOperation, of device: Int) {
        guard case .send(_, let payload) = operation else { return }
        let wall = moment(on: device).wall
        for conversation in devices[device].state.chat.conversations {
            guard case .inFlight(let outgoing) = conversation.outbox.queue.phase else { continue }
            let isOld = wall - outgoing.entry.written >= app.chat.configuration.heldAfter
            guard isOld || outgoing.consent == .asked,
                !devices[device].approved.contains(Approval(outgoing.entry)),
                payload.contains(outgoing.id)
            else { continue }
            complain("limits: “\(outgoing.entry.text)” is old, and is sent without consent")
        }
    }

    // MARK: Every moment

    /// Enters the end of a conversation as read, or as left.
    mutating func notePlace(_ action: ChatApp.Action, _ before: ChatApp.State) {
        switch action {
        case .chat(.scrolled(isAtEnd: true)): devices[here].read = state.chat.conversation.id
        case .chat(.sent) where before.chat.conversation.draft.sent != state.chat.conversation.draft.sent:
            devices[here].read = state.chat.conversation.id
        case .chat(.scrolled(isAtEnd: false)): devices[here].read = nil
        default: break
        }
    }

    /// Checks, at small cost after each step, what is said and what counts as unread.
    mutating func checkMoment(on device: Int) {
        let chat = devices[device].state.chat
        if chat.account == nil { (devices[device].approved, devices[device].read) = ([], nil) }
        if devices[device].read != chat.conversation.id {
            devices[device].read = nil
        } else if Chat.scroll(chat) != .toEnd {
            complain("C22, \(devices[device].name): the end is in sight, and does not count as read")
        }
        if devices[device].deletions.isPending, devices[device].loop.store.isIdle,
            !chat.conversations.contains(where: { $0.isBeingStored })
        {
            devices[device].deletions.stored()
        }
        let said = Chat.announcement(chat, .neutral)
        guard said != devices[device].said else { return }
        devices[device].said = said
        guard let said, !isDue(said, in: chat) else { return }
        complain("S17, \(devices[device].name): “\(said.string)” is said, and is not the newest")
    }

    /// Whether a screen reader may say a text now: that somebody types, or the whole newest reply, or how that or a
    /// later message has ended.
    private func isDue(_ said: LongText, in chat: Chat.State) -> Bool {
        if Chat.isTyping(chat) { return said.string == Wording.neutral.typing.string }
        let rows = Chat.rows(chat, newest: 6, .neutral)
        let newest = rows.lastIndex { $0.role != .user } ?? 0
        return rows[newest...].contains { row in
            !row.isGrowing && (row.role == .assistant && row.text == said || row.note?.string == said.string)
        }
    }

    // MARK: Offers

    /// Checks that each failed message offers a retry, and that no offer is empty or comes too late.
    mutating func checkScreen() {
        let chat = state.chat
        for row in Chat.rows(chat, newest: 12, .neutral) {
            switch (row.offer, row.id, row.status) {
            case (.consent, .written(let client), _):
                if devices[here].approved.contains(Approval(client: client, written: row.time)) {
                    complain("limits: \(client.text) was approved, and consent is asked again")
                }
                expectSomething(of: .heldApproved(client))
            case (.retry, let id, _): expectSomething(of: .retried(id))
            case (_, let id, .failed(let failure)) where failure != .fileMissing:
                complain("L5: \(id) has failed, and offers no retry")
            default: break
            }
        }
        let current = Chat.conversations(chat, .neutral).first { $0.isCurrent }
        if Chat.scroll(chat) == .toEnd, let current, current.unread > 0 {
            complain("C22: \(current.unread) messages in sight count as unread")
        }
    }

    /// Tries an offer on a copy of the state. A refusal is shown; the banner that it would show may be there already.
    private mutating func expectSomething(of offer: Chat.Action) {
        var after = state
        var context = Context(moment: moment(on: here), entropy: .seeded(1))
        _ = app.reduce(&after, .chat(offer), in: &context)
        switch state.chat.conversation.banner {
        case .outboxFull, .textTooLong: return
        default: if after == state { complain("C12: \(offer) is offered, and does nothing") }
        }
    }
}

extension Payload {
    /// Whether it names a message.
    fileprivate func contains(_ key: ClientID) -> Bool {
        parts.contains { part in
            guard case .bytes(let bytes) = part else { return false }
            return String(decoding: bytes, as: UTF8.self).contains(key.text.string)
        }
    }
}
