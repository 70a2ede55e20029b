// What the conversation around `Turns` does with what it hears, and the laws of the world (TurnsWorld.swift).

@testable import ChatDomain

extension TurnsWorld {
    mutating func send(_ message: Int8) {
        guard !mine[Int(message)].isDeleted else { return queue.removeAll { $0 == message } }
        mine[Int(message)].status = .out
        transit = current(message)
        // Until now the reply to an earlier copy was the answer.
        for former in message * Self.tries..<transit where !turns.isWaiting(Self.keys[Int(former)]) {
            turns.forget(Self.keys[Int(former)])
        }
        turns.sent(Self.keys[Int(transit)], isWanted: !mine[Int(message)].isUnwanted)
    }

    /// Moves the cursor: it is the last finished thing that was told.
    private mutating func told(_ event: Event) {
        if let place = log.firstIndex(of: event) { cursor = max(cursor, Int8(place) + 1) }
    }

    mutating func hear(_ event: Event) {
        told(event)
        switch event {
        case .question(let question):
            let name = (0..<Int8(mine.count)).first { strangers[Int($0)] == question } ?? -1
            turns.told(self.name(name < 0 ? question : Self.stranger + name))
            guard knownQuestions.insert(question) else { return }
            if isMine(question) { return acknowledged(question) }
            if turns.taken(elsewhere: Self.ids[Int(question)], Self.wait) { timers.insert(question) }
        case .acknowledged(let question): acknowledged(question)
        case .grows(let reply):
            if !knownReplies.contains(reply) { grown.insert(reply) }
            began(reply)
        case .whole(let reply):
            began(reply)
            end(reply, .answered)
        case .empty(let reply):
            if knownReplies.insert(reply) || turns.question(of: Self.replies[Int(reply)]) != nil {
                failed(reply)
            }
        case .fails(let reply):
            if knownReplies.contains(reply) { return end(reply, .partial) }
            failed(reply)
        case .questionFails(let question): questionFailed(question)
        }
    }

    /// The echo of a message finds no copy, so it has a row as a message of the other device.
    mutating func hearStranger(_ event: Event) {
        guard case .question(let question) = event else { return }
        told(event)
        budget.strangers -= 1
        knownQuestions.insert(question)
        strangers[message(question)] = question
        let name = Self.stranger + Int8(message(question))
        if turns.taken(elsewhere: Self.ids[Int(name)], Self.wait) { timers.insert(name) }
    }

    mutating func acknowledged(_ question: Int8) {
        let message = message(question)
        guard isCurrent(question) else { return }
        guard mine[message].status == .queued || mine[message].status == .out else { return }
        queue.removeAll { $0 == message }
        if strangers[message] == question { return claim(question) }
        wait(for: question)
    }

    /// An echo in doubt is that of a message which was accepted.
    mutating func endRetelling() {
        isRetelling = false
        turns.endRetelling()
        for question in strangers.reversed()
        where isCurrent(question) && mine[message(question)].status != .queued { claim(question) }
    }

    /// It is certain now whose the echo is.
    mutating func claim(_ question: Int8) {
        let message = message(question)
        let name = Self.stranger + Int8(message)
        timers.remove(name)
        strangers[message] = -1
        let key = Self.keys[Int(question)]
        let isUnanswered = unansweredStrangers.remove(name)
        defer { if isUnanswered { mine[message].status = .failed } }
        if let reply = turns.claim(Self.ids[Int(name)], for: key)?.figure {
            links.removeAll { $0[0] == reply }
            links.append([reply, question])
            mine[message].status = .answered
        } else if turns.isWaiting(key) {
            timers.insert(question)
            mine[message].status = .accepted
        } else if [.queued, .out].contains(mine[message].status) {
            wait(for: question)
        }
    }

    mutating func wait(for question: Int8) {
        let message = message(question)
        mine[message].status = .accepted
        if turns.taken(Self.keys[Int(question)], isWanted: !mine[message].isUnwanted, Self.wait) {
            timers.insert(question)
        }
        if turns.reply(to: Self.keys[Int(question)]) != nil { mine[message].status = .answered }
    }

    mutating func began(_ reply: Int8) {
        guard knownReplies.insert(reply) else { return }
        guard let attribution = attribution(of: reply) else { return attribute(reply, nil) }
        let question = number(attribution.question)
        attribute(reply, attribution)
        links.append([reply, question])
        if isCurrent(question), mine[message(question)].status != .out {
            mine[message(question)].status = .answered
        }
    }

    /// A name proves that the server has accepted the question.
    private mutating func attribution(of reply: Int8) -> Turns.Attribution? {
        guard budget.isNamed, isMine(reply) else { return turns.began(Self.replies[Int(reply)]) }
        acknowledged(reply)
        return turns.began(
            Self.replies[Int(reply)], to: Self.keys[Int(reply)], isWanted: !mine[message(reply)].isUnwanted)
    }

    mutating func failed(_ reply: Int8) {
        let wasKnown = turns.question(of: Self.replies[Int(reply)]) != nil
        guard let attribution = turns.failed(Self.replies[Int(reply)]) else { return }
        if !wasKnown { attribute(reply, attribution) }
        unanswered(number(attribution.question), .failed, isWanted: attribution.isWanted)
    }

    /// Whose a reply is, beside whose it really is.
    mutating func attribute(_ reply: Int8, _ attribution: Turns.Attribution?) {
        guard let attribution else {
            if !hasLost, reply != Self.earlier { brokenLaw = "C12: the reply to \(reply) finds no question" }
            return
        }
        let name = number(attribution.question)
        if attribution.wasWaiting, !timers.remove(name) { brokenLaw = "L3: \(name) had no deadline" }
        let question = real(name)
        if reply == Self.earlier { brokenLaw = "C12: an old reply is taken for that to \(question)" }
        if budget.isNamed || !hasLost, question != reply {
            brokenLaw = "C12: the reply to \(reply) is taken for that to \(question)"
        }
        if isCurrent(name), attribution.isWanted == mine[message(question)].isUnwanted {
            brokenLaw = "S10: what the person wants of \(question) is forgotten"
        }
    }

    /// What was said of a reply ends it.
    mutating func end(_ reply: Int8, _ status: Status) {
        guard case .written(let key) = turns.question(of: Self.replies[Int(reply)]) else { return }
        let question = number(.written(key))
        guard isCurrent(question) else { return }
        if mine[message(question)].status == .answered || mine[message(question)].status == .partial {
            mine[message(question)].status = status
        }
    }

    mutating func questionFailed(_ question: Int8) {
        guard isCurrent(question) else { return }
        if strangers[message(question)] == question {
            let message = Int8(message(question))
            queue.removeAll { $0 == message }
            claim(question)
        }
        let key = Self.keys[Int(question)]
        if turns.reply(to: key) != nil {
            mine[message(question)].status = .partial
            return
        }
        guard turns.isWaiting(key) || mine[message(question)].status == .out else { return }
        let isWanted = turns.isWanted(key)
        turns.forget(key)
        timers.remove(question)
        unanswered(question, .failed, isWanted: isWanted)
    }

    mutating func unanswered(_ question: Int8, _ status: Status, isWanted: Bool) {
        if Self.stranger..<Self.earlier ~= question { unansweredStrangers.insert(question) }
        guard isMine(question), isCurrent(question) else { return }
        let message = message(question)
        queue.removeAll { $0 == message }
        mine[message].status = isWanted ? status : .answered
    }

    mutating func timeIsOver(_ question: Int8) {
        timers.remove(question)
        if !isQuiet {
            budget.impatience -= 1
            hasLost = true
        }
        if Self.stranger..<Self.earlier ~= question { unansweredStrangers.insert(question) }
        guard let missing = turns.timeIsOver(name(question)) else {
            brokenLaw = "L3: a deadline passes and nothing comes of it"
            return
        }
        for moved in missing.moved {
            if budget.isNamed { brokenLaw = "C12: a reply that names its question is moved to another" }
            let reply = number(moved.reply)
            let receiver = number(.written(moved.question))
            links.removeAll { $0[0] == reply }
            links.append([reply, receiver])
            if isCurrent(receiver), mine[message(receiver)].status == .accepted {
                mine[message(receiver)].status = .answered
            }
        }
        if let key = missing.unanswered { unanswered(number(.written(key)), .unanswered, isWanted: true) }
        if !hasLost, isMine(question), missing.unanswered != nil {
            brokenLaw = "C12: \(question) is said to be unanswered, and nothing was lost"
        }
    }

    mutating func stop() {
        var stopped = turns.stop().map { number(.written($0)) }
        if let out { stopped.append(current(out)) }
        for question in stopped where isCurrent(question) { mine[message(question)].isUnwanted = true }
    }

    mutating func retry(_ message: Int8) {
        budget.retries -= 1
        let former = current(message)
        links.removeAll { $0[1] == former }
        mine[Int(message)] = Mine(status: .queued, tries: mine[Int(message)].tries + 1)
        queue.append(message)
    }

    /// A message that waits leaves the queue with its turn; the server may have it all the same.
    mutating func delete(_ message: Int8) {
        budget.deletions -= 1
        mine[Int(message)].isDeleted = true
        guard mine[Int(message)].status == .queued else { return }
        queue.removeAll { $0 == message }
        turns.forget(Self.keys[Int(current(message))])
    }

    /// The process ends; what is stored is the rows, with their replies.
    mutating func restart() {
        cut()
        let waiting = turns.turns.filter { $0.stage.isWaiting }
        if waiting.contains(where: { if case .elsewhere = $0.question { true } else { false } }) {
            hasLost = true
        }
        turns = Turns()
        timers = []
        recallOvertaken()
        for case .question(let question) in screen where isCurrent(question) {
            switch mine[message(question)].status {
            case .accepted: wait(for: question)
            case .unanswered: turns.missed(Self.keys[Int(question)])
            case .queued, .out, .answered, .partial, .failed: break
            }
        }
    }

    /// The rows show which replies stand behind further questions than their own.
    mutating func recallOvertaken() {
        var last: Int8?
        for row in screen {
            switch row {
            case .question(let question) where isMine(question): last = question
            case .whole(let reply), .grows(let reply):
                guard grown.contains(reply) == (row == .grows(reply)), let last,
                    let question = links.first(where: { $0[0] == reply })?[1], isMine(question),
                    question != last
                else { continue }
                turns.recall(
                    Self.replies[Int(reply)], to: Self.keys[Int(question)], after: Self.keys[Int(last)])
            default: break
            }
        }
    }

    // MARK: The laws

    var brokenOrder: String? {
        var (asked, begun, answered): (Marks, Marks, Marks) = ([], [], [])
        for turn in turns.turns {
            let question = number(turn.question)
            guard asked.insert(question) else { return "C12: a question has two turns" }
            switch turn.stage {
            case .answered(let reply, _), .failed(let reply):
                guard begun.insert(number(reply)) else { return "C12: a reply belongs to two questions" }
            case .waiting:
                guard timers.contains(question) else { return "L3: \(question) is waited for without end" }
            case .sent, .overdue: break
            }
        }
        for link in links where !answered.insert(link[1]) { return "C12: a question has two replies" }
        return nil
    }

    var isSettled: Bool { isQuiet && timers.isEmpty }

    /// What is wrong with what the person sees when nothing more can come.
    var wrongScreen: String? {
        if turns.isAnyWaiting { return "L3: something is waited for without end" }
        for (index, message) in mine.enumerated() where !message.isDeleted {
            let question = current(Int8(index))
            let hasReply = links.contains { $0[1] == question }
            switch message.status {
            case .accepted where !message.isUnwanted:
                return "C12: nobody says that message \(index) has no answer"
            case .unanswered:
                if hasReply { return "C12: message \(index) is answered and said to be unanswered" }
                if !budget.isNamed, isShownAnswered(question) {
                    return "C12: the row behind message \(index) is its answer"
                }
            case .answered where !message.isUnwanted && !hasReply:
                return "C12: message \(index) counts as answered by nothing"
            case .queued, .out, .accepted, .answered, .partial, .failed: break
            }
        }
        return nil
    }

    /// Whether a reply that counts as one to a question written here stands right behind a question, among
    /// those.
    func isShownAnswered(_ question: Int8) -> Bool {
        let rows = screen.filter { row in
            switch row {
            case .question(let other): isMine(other)
            case .whole(let reply), .grows(let reply):
                grown.contains(reply) == (row == .grows(reply))
                    && links.contains {
                        $0[0] == reply && isCurrent($0[1]) && !mine[message($0[1])].isUnwanted
                    }
            default: false
            }
        }
        guard let place = rows.firstIndex(of: .question(question)), place + 1 < rows.count else {
            return false
        }
        if case .question = rows[place + 1] { return false }
        return true
    }
}
