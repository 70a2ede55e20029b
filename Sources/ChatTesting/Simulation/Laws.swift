// The laws of Docs/Rules.md as functions of a simulation: the cheap ones after every step and on every device, the
// expensive ones now and then and on the acting device, drawn from the same seed. TextLaws and EndLaws compare the
// screen with the server.

import ChatDomain
import ChatEffects

/// The beginning of every token of the in-process backend.
let tokenMark = "eyJhbGciOiJI"

extension Simulation {
    mutating func check() {
        for device in devices.indices { checkAlways(device) }
        switch dice.below(96) {
        case 0..<6: haunt()
        case 6..<10:
            checkTexts()
            checkServer()
            checkKept()
        case 10: checkSecrecy()
        case 11..<17: checkScreen()
        default: break
        }
    }

    private mutating func checkAlways(_ device: Int) {
        let machine = devices[device].loop.machine
        if let stuck = stuckSpinner(machine) { complain("L3, \(devices[device].name): \(stuck)") }
        if let overgrown = overgrown(machine) { complain("L8, \(devices[device].name): \(overgrown)") }
        for open in machine.openCalls where !devices[device].known.contains(open.call) {
            devices[device].known.append(open.call)
            if devices[device].known.count > 16 { devices[device].known.removeFirst() }
        }
        if machine.state.saysStorageFails { devices[device].ledger.isTold = true }
        checkMoment(on: device)
    }

    // MARK: L1, L4: ghosts

    /// Gives events of ended calls, timers and saves to the reducer itself, which the machine would never do. They must
    /// change nothing.
    private mutating func haunt() {
        let open = devices[here].loop.machine.openCalls.map { $0.call }
        for call in devices[here].known where !open.contains(call) {
            for event in call.events { expectNothing(of: .received(event, on: call)) }
            expectNothing(of: .ended(call, .failed(.lost)))
            expectNothing(of: .ended(call, .refused(status: 401, retryAfter: nil, message: "")))
        }
        // Attempts are numbered from 1, so this one is never used.
        let nobody = Attempt(number: 0)
        let user = state.account?.user ?? "nobody"
        let here = state.chat.conversation.id
        let keys: [ChatApp.Key] = [
            .pairing(.device), .pairing(.credentials), .pairing(.request), .chat(.conversations(user)),
            .chat(.outbox(user, here)), .chat(.draft(user, here)), .chat(.contents(user, here)),
            .chat(.page(user, here, 0)), .chat(.outbox("nobody", here)), .chat(.outbox(user, "nowhere")),
            .assistant(.pacing(user)), .assistant(.pacing("nobody")),
        ]
        for key in keys {
            for answer: StorageAnswer<ChatApp.Record> in [.missing, .saved, .erased] {
                expectNothing(of: .stored(answer, under: key, nobody))
            }
        }
    }

    private mutating func expectNothing(of ghost: ChatApp.Action) {
        let before = state
        var after = before
        let found = Ghosts.complaint(of: ghost, app, from: before, to: &after, at: moment(on: here))
        if let found { complain("L4 \(found)") }
    }

    // MARK: L8: bounds

    private func overgrown(_ machine: Machine<ClawlineBackend>) -> String? {
        let chat = machine.state.chat
        let limits = app.chat.configuration
        // Messages from the composer or the disk were accepted before, and are not dropped.
        for conversation in chat.conversations {
            if conversation.outbox.count > 2 * limits.outboxLimit { return "outbox" }
            let handedOver = conversation.outbox.handedOver.count
            if handedOver > Int(limits.outboxLimit) { return "messages handed over" }
            if conversation.growing.count > limits.growingLimit { return "growing replies" }
            if conversation.pushed.copies.open.count > 1_000 { return "copies without an echo" }
            if conversation.pushed.copies.unclaimed.count > 1_000 { return "echoes without a copy" }
            if conversation.pushed.crowdedOut.count > 64 { return "replies without a place" }
            if conversation.pushed.muted.count > 64 { return "muted replies" }
            if conversation.pushed.turns.turns.count > 1_000 { return "turns" }
            if conversation.transcript.pages.hidden.count > 1_000 { return "deleted messages" }
            if conversation.draft.attachments.count > 3 * Int(limits.attachmentLimit) { return "files" }
        }
        if Int64(chat.list.entries.count) > 2 * limits.conversationLimit { return "conversations" }
        if chat.departed.count > 8 { return "people who have left" }
        if chat.departed.contains(where: { $0.account.user == chat.account?.user }) {
            return "somebody who has left and is here"
        }
        if chat.others.count >= chat.list.entries.count { return "conversations beside the list" }
        if let assistant = machine.state.assistant.conversation {
            let limits = app.assistant.configuration
            if assistant.queue.count > limits.queueLimit { return "questions" }
            if Int64(assistant.finished.count) > limits.exchangeLimit { return "answers" }
        }
        if machine.state.pairing.incoming.rows.rows.count > 100 { return "pairing requests" }
        if machine.openCalls.count > 1 + 1 + 1 + 4 * chat.list.entries.count { return "calls" }
        return nil
    }

    // MARK: L10: secrets

    private mutating func checkSecrecy() {
        var machine = devices[here].loop.machine
        machine.send(.chat(.sent), at: moment(on: here))
        machine.send(.chat(.reconnectRequested), at: moment(on: here))
        var told = String(reflecting: machine)
        machine.drain { told += String(reflecting: $0) }
        if told.contains(tokenMark) { complain("L10: a description holds a token") }
    }
}

extension ChatApp.Call {
    /// The possible events of such a call, the fatal ones first.
    fileprivate var events: [ChatApp.Event] {
        let ghost = IncomingMessage(
            id: "ghost", role: .assistant, text: "ghost", time: Simulation.epoch, isGrowing: false)
        return switch self {
        case .pairing:
            [.pairing(.granted(Secret("ghost"), "ghost", isAdmin: true)), .pairing(.refused(.timedOut))]
        case .chat:
            [
                .chat(.credentialsRefused(.tokenRevoked)), .chat(.sessionReplaced), .chat(.opened),
                .chat(.authenticated(replayCount: 1, isTruncated: true, isReset: true)),
                .chat(.message(ghost)), .chat(.delta("ghost", "ghost")), .chat(.cursorRefused),
                .chat(.chunk("ghost", index: 0, "ghost", isFinal: true)), .chat(.uploaded("ghost")),
                .chat(.typing(isActive: true, at: nil)), .chat(.gap), .chat(.alive), .chat(.failed("ghost")),
                .pairing(.resolved("d1")),
            ]
        case .assistant:
            [.assistant(.answered("ghost", conversation: "ghost", time: nil, tokens: nil))]
        case .smartReplies:
            [.smartReplies(.token("ghost")), .smartReplies(.failed("ghost")), .smartReplies(.done(nil, nil))]
        }
    }
}
