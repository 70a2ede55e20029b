// The end of a `SocketWorld`: everything works again, and nothing is written any more. Then each message and each reply
// is shown once, nothing waits, and each question shows its answer or offers a retry. Start with `finish`.

@testable import ChatDomain

extension SocketWorld {
    /// What must hold on the screen at the end.
    enum Law: CaseIterable {
        /// Nothing waits, and the outbox is empty (L3).
        case atRest
        /// Each message is shown once (L5, L6).
        case messageShown
        /// Each reply is shown once (L5, L6).
        case replyShown
        /// No answered message says that its answer is missing (C12).
        case noFalseNote
        /// Each message without an answer offers a retry (C12).
        case retryOffered
        /// Each reply belongs to its own question (C12).
        case replyLinked
    }

    struct Complaint {
        let law: Law
        let text: String
    }

    mutating func finish() -> [Complaint] {
        note("everything works")
        for _ in 0..<400 {
            driver.serve(from: &disk)
            look()
            while !frames.isEmpty { arrive() }
            if !server.isIdle { work(failing: false) }
            for _ in 0..<server.events.count { deliver() }
            driver.serve(from: &disk)
            driver.advance(by: .milliseconds(500))
        }
        driver.scrollUp(30, on: &disk)
        driver.advance(by: .seconds(10))
        return checkRest() + checkMessages() + server.answered.flatMap(check) + written.flatMap(checkAnswer)
    }

    private func checkRest() -> [Complaint] {
        var complaints: [Complaint] = []
        if let stuck = driver.stuckSpinner { complaints.append(Complaint(law: .atRest, text: stuck)) }
        if driver.isWaiting { complaints.append(Complaint(law: .atRest, text: "something waits")) }
        if !driver.queued.isEmpty {
            complaints.append(Complaint(law: .atRest, text: "the outbox is not empty"))
        }
        return complaints
    }

    private func checkMessages() -> [Complaint] {
        let shown = driver.rows.filter { $0.role == .user }.map { $0.text.string } + driver.draft.string.lines
        return Set(written.map { $0.text } + elsewhere).compactMap { text in
            let said = written.count { $0.text == text } + elsewhere.count { $0 == text }
            let count = shown.count { $0 == text.string }
            guard count != said else { return nil }
            return Complaint(law: .messageShown, text: "\(text), said \(said) times, is shown \(count) times")
        }
    }

    private func check(_ answer: (reply: MessageID, question: SocketServer.Question)) -> [Complaint] {
        var complaints: [Complaint] = []
        let transcript = driver.state.conversation.transcript
        let row = transcript.ordinal(of: answer.reply).flatMap { transcript[$0] }
        if row?.body.isStopped == true { return [] }
        let text = SocketServer.reply(to: answer.question)
        let asked = answer.question.key.flatMap { owners[$0] }
        let isNeeded = asked.map { client in
            written.contains { $0.client == client } && !stopped.contains(client)
        }
        let count = driver.rows.count { $0.text.string == text }
        if count > 1 || count == 0 && isNeeded != false {
            complaints.append(Complaint(law: .replyShown, text: "\(text) is shown \(count) times"))
        }
        if let link = row?.question, link != asked {
            complaints.append(
                Complaint(law: .replyLinked, text: "\(text) of \(asked?.tail ?? "-") is at \(link.tail)"))
        }
        return complaints
    }

    private func checkAnswer(_ message: (client: ClientID, text: ExactText)) -> [Complaint] {
        let (rows, transcript) = (driver.rows, driver.state.conversation.transcript)
        guard !stopped.contains(message.client),
            let row = rows.first(where: { $0.id == .written(message.client) })
        else { return [] }
        let isAnswered = server.answered.contains { answer in
            answer.question.key.flatMap { owners[$0] } == message.client
        }
        let name = "\(message.text) \(message.client.tail)"
        if isAnswered, row.note != nil {
            return [Complaint(law: .noFalseNote, text: "\(name) is answered, and says otherwise")]
        }
        let partial = transcript.answer(to: message.client).flatMap { transcript[$0]?.id }
        let offers = rows.filter { $0.offer == .retry }.map { $0.id }
        let isOffered = offers.contains(row.id) || partial.map { offers.contains(.received($0)) } ?? false
        guard !isAnswered, !isOffered else { return [] }
        return [Complaint(law: .retryOffered, text: "\(name) has no answer and no retry")]
    }
}
