// The events around a person: time, a server that misbehaves by its rules, a network that goes and comes,
// a disk that fails, and processes that end.

import ChatDomain
import ChatEffects

extension Simulation {
    mutating func worldActs(before end: Instant) {
        switch dice.below(76) {
        case 0..<40: passTime(before: end)
        case 40..<46: if weather != .fair { addRule() }
        case 46: server.behaviour.rules = []
        case 47: server.behaviour.dialect = [.cumulative, .deltas, .whole, .chunks][dice.below(4)]
        case 48, 49: if weather != .fair { dropConnections() }
        case 50, 51: if weather == .worse { breakDisk() }
        case 52, 53: devices[here].loop.store.faults = []
        case 54: setWallClock()
        case 55: if dice.below(3) == 0 { relaunch(after: .seconds(Int64(dice.below(100)))) }
        case 56: if dice.below(3) == 0 { resume(after: .seconds(Int64(dice.below(100)) - 20)) }
        case 57..<60: sayAgain()
        case 60: knock()
        case 61, 62: speakElsewhere()
        case 63: if weather != .fair { failQuestion() }
        case 64: if weather != .fair { answerWithNothing() }
        case 65: if weather != .fair, dice.below(4) == 0 { loseHistory() }
        case 66: if weather != .fair { loseHalf() }
        case 67, 68: if weather != .fair { loseUntold() }
        case 69: if weather != .fair, dice.below(2) == 0 { restartServer() }
        case 70: changeDisk()
        default: passTime(before: end)
        }
    }

    // MARK: Time

    private mutating func passTime(before end: Instant) {
        let interval: Interval
        switch dice.below(24) {
        case 0: interval = Interval(nanoseconds: Int64(dice.below(1_000)))
        case 1..<6:
            guard let deadline = nextDeadline else { return }
            interval = deadline - moment.now
        case 6, 7:
            guard let deadline = nextDeadline else { return }
            interval = deadline - moment.now - Interval(nanoseconds: 1)
        case 8..<18: interval = .milliseconds(Int64(dice.below(700)))
        case 18..<22: interval = .seconds(Int64(dice.below(40)))
        case 22: interval = .minutes(Int64(dice.below(10)))
        default: interval = dice.below(6) == 0 ? .hours(Int64(dice.below(14))) : .seconds(3)
        }
        trace("\(interval.nanoseconds) ns pass")
        advance(by: min(interval, end - moment.now))
    }

    private mutating func setWallClock() {
        let seconds = [1, -1, 90, -90, 7_200, -7_200, 100_000, -100_000][dice.below(8)]
        trace("the wall clock is set by \(seconds) s")
        devices[here].wallShift = devices[here].wallShift + .seconds(Int64(seconds))
        devices[here].loop.setWallClock(to: moment(on: here).wall)
    }

    // MARK: The server and the network

    mutating func changeNetwork(isUp: Bool) {
        // Half of the time the device does not notice.
        if dice.below(2) == 0 {
            devices[here].isUp = isUp
            if !isUp { network.lose(dice.below(2) == 0 ? .told : .untoldServer, of: here, at: moment.now) }
        }
        act(.networkChanged(isUp: isUp))
    }

    private mutating func dropConnections() {
        trace("connections drop")
        server.dropConnections()
    }

    /// Breaks the connections of one device, without the server's knowledge; messages on their way to the server still
    /// arrive.
    private mutating func loseUntold() {
        trace("connections are lost, of which the server learns nothing")
        network.lose(.untoldServer, of: here, at: moment.now)
    }

    private mutating func loseHalf() {
        let (isUpLost, duration) = (dice.below(3) > 0, Interval.seconds(Int64(dice.below(900))))
        let isDownLost = !isUpLost || dice.below(3) > 0
        trace("half-open: up \(isUpLost), down \(isDownLost), for \(duration.seconds) s")
        network.lose(.halfOpen(up: isUpLost, down: isDownLost, for: duration), of: here, at: moment.now)
    }

    private mutating func restartServer() {
        let isKept = dice.below(2) == 0
        trace("the server restarts and \(isKept ? "keeps" : "forgets") growing replies")
        server.restart(keepingReplies: isKept)
        if !isKept { mayMistakeAnswers = true }
        // Its system resets the connections, or has ended with them; then the next sender is told.
        guard dice.below(2) == 0 else { return }
        for device in devices.indices { network.lose(.told, of: device, at: moment.now) }
    }

    private mutating func addRule() {
        let step: LocalServer.Step
        switch dice.below(13) {
        case 0: step = .handshake
        case 1: step = .pairing
        case 2: step = .authentication
        case 3: step = .receipt
        case 4: step = .acknowledgement
        case 5: step = .echo
        case 6: step = .reply
        case 7: step = .answer
        case 8: step = .suggestion(Int64(dice.below(4)))
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
        trace("\(rule)")
        if step == .echo { mayHaveOmittedEchoes = true }
        switch (step, fault) {
        // A message with a refusal in place of its acknowledgement is answered all the same.
        case (.reply, _), (.token, _), (.acknowledgement, .refuse), (.echo, .refuse): mayMistakeAnswers = true
        default: break
        }
        if server.behaviour.rules.count < 4 { server.behaviour.rules.append(rule) }
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

    /// Lets the server repeat a message, with or without the sender's id. A message that is not loaded cannot be
    /// recognised; a server that keeps to the cursor does not repeat it.
    private mutating func sayAgain() {
        guard let user = state.account?.user, let call = server.connections(of: user).last,
            let listener = network.device(of: call)
        else { return }
        let conversations = devices[listener].state.chat.conversations
        let loaded = server.log(of: user).suffix(8).filter { entry in
            conversations.contains { $0.transcript.ordinal(of: entry.id) != nil }
        }
        guard let entry = dice.pick(loaded) else { return }
        trace("\(entry.id) once more")
        let frame = ClawlineFrames.message(
            entry, text: entry.text, isGrowing: false, namesClient: dice.below(2) == 0)
        server.push(frame, on: call)
    }

    /// Lets the person write on another device, perhaps a text that they have written here.
    private mutating func speakElsewhere() {
        guard let user = state.account?.user else { return }
        let home = dice.pick(state.chat.list.entries)?.id ?? .main
        var text: ExactText = "from elsewhere"
        if dice.below(2) == 0,
            let mark = devices[here].ledger.recent(of: user, in: home, newest: lastMark, &dice)
        {
            text = ExactText("t\(mark).")
            devices[here].ledger.saidElsewhere(mark)
        }
        trace("“\(text)” is said elsewhere in \(home.text)")
        server.say(text, as: user, in: home, on: "tablet", at: moment)
    }

    /// Lets the server report that it will not answer a question, named by the id of its sender: before, during or
    /// after its answer.
    private mutating func failQuestion() {
        guard let user = state.account?.user, let call = server.connections(of: user).last else {
            return
        }
        let asked = server.log(of: user).suffix(6).compactMap { entry -> ClientID? in
            if case .device(_, let client) = entry.author { client } else { nil }
        }
        let waiting = state.chat.conversations.compactMap { $0.outbox.keyInFlight }
        guard let client = dice.pick(asked + waiting) else { return }
        trace("\(client.text) will not be answered")
        mayMistakeAnswers = true
        if dice.below(2) == 0 { server.replies.removeAll { $0.sender.client == client } }
        let frame = ClawlineFrames.error("server_error", message: "No answer", about: client.text)
        server.push(frame, on: call)
    }

    /// Ends a reply without text: one that grows, or the next that would begin.
    private mutating func answerWithNothing() {
        guard let user = state.account?.user else { return }
        let growing = dice.pick(server.replies.filter { $0.sender.user == user })?.entry
        if growing == nil { server.behaviour.rules.append(.init(.reply, .silence, times: 1)) }
        let home = dice.pick(state.chat.list.entries)?.id ?? .main
        let entry = LocalServer.Entry(
            id: growing?.id ?? server.nextMessageID(), conversation: growing?.conversation ?? home,
            author: .server, text: "", files: [], time: growing?.time ?? moment.wall)
        trace("\(entry.id) is empty")
        mayMistakeAnswers = true
        server.replies.removeAll { $0.entry.id == entry.id }
        server.append(entry, to: user)
        for call in server.connections(of: user) {
            let frame = ClawlineFrames.message(entry, text: "", isGrowing: false, namesClient: false)
            server.push(frame, on: call)
        }
    }

    /// Lets the server forget its history; its clients learn that on their next connection.
    private mutating func loseHistory() {
        guard let user = state.account?.user else { return }
        trace("history is lost")
        let log = server.log(of: user)
        for device in devices.indices { devices[device].ledger.forgotten(log) }
        server.loseHistory(of: user)
        if dice.below(2) == 0 { dropConnections() }
    }

    /// Lets another device ask to come in.
    private mutating func knock() {
        guard let user = state.account?.user, let call = server.connections(of: user).last else {
            return
        }
        let frame = """
            {"type":"pair_approval_request","deviceId":"d\(dice.below(3))","claimedName":"bo",\
            "deviceInfo":{"platform":"iOS","model":"x"}}
            """
        server.push(Array(frame.utf8), on: call)
    }
}
