// What the world does to a person: time, a server that misbehaves by its rules, a network that goes and comes,
// a disk that fails, and processes that end.

@testable import ChatDomain
@testable import ChatEffects
import Foundation

extension Session {
    mutating func worldActs() {
        switch dice.below(68) {
        case 0..<40: passTime()
        case 40..<46: if world != .kind { addRule() }
        case 46: loop.server.behaviour.rules = []
        case 47: loop.server.behaviour.dialect = [.cumulative, .deltas, .whole, .chunks][dice.below(4)]
        case 48, 49: if world != .kind { dropConnections() }
        case 50, 51: if world == .worse { breakDisk() }
        case 52, 53: loop.store.faults = []
        case 54: setWallClock()
        case 55: if dice.below(3) == 0 { relaunch(after: .seconds(Int64(dice.below(100)))) }
        case 56: if dice.below(3) == 0 { resume(after: .seconds(Int64(dice.below(100)) - 20)) }
        case 57..<60: sayAgain()
        case 60: knock()
        case 61, 62: speakElsewhere()
        case 63: if world != .kind { failQuestion() }
        case 64: if world != .kind { answerWithNothing() }
        case 65: if world != .kind, dice.below(4) == 0 { loseHistory() }
        default: passTime()
        }
    }

    // MARK: Time

    private mutating func passTime() {
        let interval: Interval
        switch dice.below(24) {
        case 0: interval = Interval(nanoseconds: Int64(dice.below(1_000)))
        case 1..<6:
            tell("to the next deadline")
            _ = loop.runToNextDeadline()
            return
        case 6, 7:
            guard let deadline = loop.nextDeadline else { return }
            interval = deadline - loop.moment.now - Interval(nanoseconds: 1)
        case 8..<18: interval = .milliseconds(Int64(dice.below(700)))
        case 18..<22: interval = .seconds(Int64(dice.below(40)))
        case 22: interval = .minutes(Int64(dice.below(10)))
        default: interval = dice.below(6) == 0 ? .hours(Int64(dice.below(14))) : .seconds(3)
        }
        tell("\(interval.nanoseconds) ns pass")
        loop.advance(by: interval)
    }

    private mutating func setWallClock() {
        let seconds = [1, -1, 90, -90, 7_200, -7_200, 100_000, -100_000][dice.below(8)]
        tell("the wall clock is set by \(seconds) s")
        loop.setWallClock(to: loop.moment.wall + .seconds(Int64(seconds)))
    }

    // MARK: The server and the way to it

    mutating func changeNetwork(isUp: Bool) {
        // Half of the time the device does not notice.
        if dice.below(2) == 0 { isUp ? loop.server.goOnline() : loop.server.goOffline() }
        act(.networkChanged(isUp: isUp))
    }

    private mutating func dropConnections() {
        tell("connections drop")
        loop.server.dropConnections()
    }

    private mutating func addRule() {
        let step: LocalServer.Step
        switch dice.below(14) {
        case 0: step = .handshake
        case 1: step = .pairing
        case 2: step = .authentication
        case 3: step = .receipt
        case 4: step = .acknowledgement
        case 5: step = .echo
        case 6: step = .reply
        case 7: step = .answer
        case 8: step = .suggestion(Int64(dice.below(4)))
        case 9: step = .refresh
        default: step = .token(Int64(dice.below(6)) + 1)
        }
        let fault: LocalServer.Fault
        switch dice.below(9) {
        case 0 where step == .authentication, 1 where step == .authentication: fault = .refuseCursor
        case 0: fault = .silence
        case 1: fault = .close(code: [1_000, 1_006, 1_012, 1_013][dice.below(4)], reason: "")
        case 2: fault = .noise
        case 3: fault = .delay(.milliseconds(Int64(dice.below(12_000))))
        case 4: fault = .refuse(code: refusal(at: step), message: "M\u{202E}")
        case 5: fault = .duplicate
        case 6 where step == .acknowledgement || step == .echo:
            fault = .holdBack(.milliseconds(Int64(dice.below(4_000))))
        default: fault = .drop
        }
        let rule = LocalServer.Rule(step, fault, times: UInt64(dice.below(3)) + 1)
        tell("\(rule)")
        if step == .echo { mayHaveKeptEchoes = true }
        if loop.server.behaviour.rules.count < 4 { loop.server.behaviour.rules.append(rule) }
    }

    private mutating func refusal(at step: LocalServer.Step) -> ExactText {
        switch step {
        case .pairing: ["pair_denied", "pair_rejected", "pair_timeout", "?"][dice.below(4)]
        case .authentication: ["auth_failed", "token_revoked", "rate_limited", "?"][dice.below(4)]
        case .receipt: ["invalid_message", "payload_too_large", "rate_limited"][dice.below(3)]
        case .answer, .suggestion:
            ["UNAUTHENTICATED", "RESOURCE_EXHAUSTED", "INTERNAL", "INVALID_ARGUMENT"][dice.below(4)]
        default: ["server_error", "?"][dice.below(2)]
        }
    }

    /// The server says again what it has said, with or without the sender's id. What is not loaded cannot be
    /// recognised; a server that keeps to the cursor does not say it again.
    private mutating func sayAgain() {
        guard let user = loop.state.account?.user, let call = loop.server.connections(of: user).last else {
            return
        }
        let conversations = loop.state.chat.conversations
        let loaded = loop.server.log(of: user).suffix(8).filter { entry in
            conversations.contains { $0.transcript.ordinal(of: entry.id) != nil }
        }
        guard let entry = dice.pick(loaded) else { return }
        tell("\(entry.id) once more")
        let frame = ClawlineFrames.message(
            entry, text: entry.text, isGrowing: false, namesClient: dice.below(2) == 0)
        loop.server.schedule(.send(call, frame), after: .zero)
    }

    /// The person speaks on another device, perhaps with words that they have used here.
    private mutating func speakElsewhere() {
        guard let user = loop.state.account?.user else { return }
        let home = dice.pick(loop.state.chat.list.entries)?.id ?? .main
        var text: ExactText = "from elsewhere"
        if dice.below(2) == 0, let mark = ledger.recent(of: user, in: home, &dice) {
            text = ExactText("t\(mark).")
            ledger.saidElsewhere(mark)
        }
        tell("“\(text)” is said elsewhere in \(home.text)")
        loop.server.say(text, as: user, in: home, on: "tablet", at: loop.moment)
    }

    /// The server says that it will not answer a question, which it names by the id of its sender, before, while or
    /// after it does.
    private mutating func failQuestion() {
        guard let user = loop.state.account?.user, let call = loop.server.connections(of: user).last else {
            return
        }
        let asked = loop.server.log(of: user).suffix(6).compactMap { entry -> ClientID? in
            if case .device(_, let client) = entry.author { client } else { nil }
        }
        let waiting = loop.state.chat.conversations.compactMap { $0.outbox.keyInFlight }
        guard let client = dice.pick(asked + waiting) else { return }
        tell("\(client.text) will not be answered")
        if dice.below(2) == 0 { loop.server.replies.removeAll { $0.sender.client == client } }
        let frame = ClawlineFrames.error("server_error", message: "No answer", about: client.text)
        loop.server.schedule(.send(call, frame), after: .zero)
    }

    /// A reply ends without text: one that grows, or the next that would begin.
    private mutating func answerWithNothing() {
        guard let user = loop.state.account?.user else { return }
        let growing = dice.pick(loop.server.replies.filter { $0.sender.user == user })?.entry
        if growing == nil { loop.server.behaviour.rules.append(.init(.reply, .silence, times: 1)) }
        let home = dice.pick(loop.state.chat.list.entries)?.id ?? .main
        let entry = LocalServer.Entry(
            id: growing?.id ?? loop.server.nextMessageID(), conversation: growing?.conversation ?? home,
            author: .server, text: "", files: [], time: growing?.time ?? loop.moment.wall)
        tell("\(entry.id) is empty")
        loop.server.replies.removeAll { $0.entry.id == entry.id }
        loop.server.append(entry, to: user)
        for call in loop.server.connections(of: user) {
            let frame = ClawlineFrames.message(entry, text: "", isGrowing: false, namesClient: false)
            loop.server.schedule(.send(call, frame), after: .zero)
        }
    }

    /// The server forgets all that it knew, of which its clients learn when they come next.
    private mutating func loseHistory() {
        guard let user = loop.state.account?.user else { return }
        tell("history is lost")
        ledger.forgotten(loop.server.log(of: user))
        loop.server.loseHistory(of: user)
        if dice.below(2) == 0 { dropConnections() }
    }

    /// Another device asks to come in.
    private mutating func knock() {
        guard let user = loop.state.account?.user, let call = loop.server.connections(of: user).last else {
            return
        }
        let frame = """
            {"type":"pair_approval_request","deviceId":"d\(dice.below(3))","claimedName":"bo",\
            "deviceInfo":{"platform":"iOS","model":"x"}}
            """
        loop.server.schedule(.send(call, Array(frame.utf8)), after: .zero)
    }

    // MARK: The disk and the process

    private mutating func breakDisk() {
        let user = loop.state.account?.user.text ?? ""
        let names: [[ExactText]] = [
            [], ["users"], ["users", user], ["secrets"], ["credentials"], ["device"], ["request"],
        ]
        let place = names[dice.below(names.count)]
        let fault: MemoryStore.Fault
        switch dice.below(4) {
        case 0: fault = .unreadable(place)
        case 1: fault = .silent(place)
        case 2: fault = .failingWrite(loop.store.writes + UInt64(dice.below(3)) + 1, .unavailable)
        default: fault = .full
        }
        tell("\(fault)")
        loop.store.faults = [fault]
        if ledger.isTold { ledger.told.formUnion(loop.state.screens.flatMap { $0.marks }) }
        ledger.isDiskTrusted = false
        ledger.isTold = false
    }

    /// The process ends where it stands, and another begins with what is on the disk.
    mutating func relaunch(after passed: Interval) {
        tell("relaunch")
        last = nil  // another conversation may be in view, where the same is no second tap
        checkKept()
        ledger.processEnded(loop)
        (ledger.isTold, ledger.told) = (false, [])
        hangUp()
        let moment = Moment(now: loop.moment.now, wall: loop.moment.wall + passed)
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment,
            entropy: .seeded(dice.next()))
        let isShown = loop.state.chat.shared.wish.isShown
        loop = AppLoop(machine, store: loop.store.restarted(), server: loop.server)
        known = []
        loop.send(.launched)
        holdServerToAccount()
        if isShown { loop.send(.chat(.shown)) }
    }

    /// The process ends, and another goes on with what this one has stored of itself.
    private mutating func resume(after passed: Interval) {
        tell("resumed from a stored machine")
        guard let stored = try? JSONEncoder().encode(loop.machine),
            let machine = try? JSONDecoder().decode(Machine<ClawlineBackend>.self, from: stored)
        else { return complain("R4: a machine cannot be stored") }
        // A secret whose save is under way is not stored with it.
        let hasSecret = loop.machine.pendingStorage.contains {
            if case .save(.secret) = $0.work { true } else { false }
        }
        if machine != loop.machine, !hasSecret { complain("R4: a stored machine is another") }
        if String(decoding: stored, as: UTF8.self).contains(tokenMark) {
            complain("L10: a stored machine holds a token")
        }
        hangUp()
        loop = AppLoop(
            resuming: machine, store: loop.store, server: loop.server, wall: loop.moment.wall + passed)
    }

    /// The server loses sight of a process that has ended, whose numbers the next one may use again.
    private mutating func hangUp() {
        for call in loop.server.sockets.map({ $0.call }) + loop.server.requests.map({ $0.call }) {
            loop.server.carryOut(.close(call), at: loop.moment)
        }
    }
}
