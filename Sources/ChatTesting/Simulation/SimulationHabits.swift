// The longer habits of a person, each of several actions: what single draws hardly ever bring together, and where
// bugs hide. Deletions at every stage of a message, an absence that makes an unsent message old, old pages, and
// conversations beside the main one.

import ChatDomain
import ChatEffects

extension Simulation {
    /// Deletes a message: one just written, one that the server is not known to have, one of somebody else, or any.
    mutating func deleteOne() {
        let kind = dice.below(6)
        if kind == 0 {
            type()
            act(.chat(.sent))
        }
        let rows = Chat.rows(state.chat, newest: 12, .neutral)
        let row: Chat.Row? =
            switch kind {
            case 0: rows.last { $0.role == .user }
            case 1, 2: dice.pick(rows.filter { $0.role == .user && $0.status != .delivered })
            case 3: dice.pick(rows.filter { $0.status == nil })
            default: anyRow()
            }
        if let row { act(.chat(.deleted(row.id))) }
    }

    /// Looks at older messages.
    mutating func scrollUp() {
        act(.chat(.scrolled(isAtEnd: false)))
        for _ in 0...dice.below(3) { act(.chat(.olderRequested)) }
    }

    /// Turns to another conversation, or begins one, and writes there.
    mutating func turnElsewhere() {
        let others = state.chat.list.entries.filter { $0.id != state.chat.conversation.id && !$0.isClosed }
        if others.count < 2, dice.below(3) == 0 {
            act(.chat(.conversationCreated(title: "Plans")))
        } else if let other = dice.pick(others) {
            act(.chat(.conversationSwitched(to: other.id)))
        }
        guard dice.below(2) == 0 else { return }
        type()
        act(.chat(.sent))
    }

    /// Writes without a network, and comes back when these messages are too old to be sent without consent: to the same
    /// process, to a stored machine, or to another process, which knows the newest pages alone.
    mutating func beAway() {
        devices[here].isUp = false
        network.lose(.told, of: here, at: moment.now)
        act(.networkChanged(isUp: false))
        for _ in 0...dice.below(3) {
            type()
            act(.chat(.sent))
        }
        if dice.below(2) == 0 { act(.backgrounded) }
        let absence = Interval.hours(13)
        away = away + absence
        switch dice.below(4) {
        case 0: resume(after: absence)
        case 1, 2: relaunch(after: absence)
        default:
            trace("\(absence.seconds) s pass")
            advance(by: absence)
        }
        devices[here].isUp = true
        act(.networkChanged(isUp: true))
        act(.foregrounded)
    }

    /// Gives each account a history from before its devices came in. Each question has its reply: one without a
    /// reply would make a client guess, because replies are known by their order alone.
    mutating func tellHistory() {
        var told: [UserID] = []
        for user in devices.compactMap({ $0.state.account?.user }) where !told.contains(user) {
            told.append(user)
            for number in 0..<2 * dice.below(20) {
                let isReply = number % 2 == 1
                let entry = LocalServer.Entry(
                    id: server.nextMessageID(), conversation: .main,
                    author: isReply ? .server : .device("desktop", ClientID(ExactText("h_\(number)"))),
                    text: "before", files: [], time: Simulation.epoch + .seconds(Int64(number - 600)))
                server.append(entry, to: user)
            }
        }
    }
}
