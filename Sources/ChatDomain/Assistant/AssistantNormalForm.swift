// The normal form of the assistant, for a search: two machines with equal normal forms behave alike. The reasons:
//
// - Attempts are only compared for equality. The account's secret and device are minted here and only passed on.
// - A question's id is its place in the order of writing. Reducers compare the order of two ids; a new id is above all.
//   So the rank among the existing questions is enough, and the count of questions is the rank of the next one.
// - Each decision by time uses a difference from now. The throttle forgets what no longer matters before it is
//   related, as it does before each decision and each save.
// - No decision depends on a measure (A10): counts, response times, the number of messages, and the times of the open
//   question, of the opening of the view and of its last change.
//
// The id of a conversation and the texts come from the server or the person, and stay.

extension Assistant.State: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        measures = Assistant.Measures()
        account.normalize(&form)
        asking.normalize(&form)
        if asking == Throttle(asking.configuration) { asker = account?.user }
        pacing.normalize(&form)
        written = Counter(conversation?.rank(.max) ?? 0)
        conversation.normalize(&form)
    }
}

extension Assistant.Conversation: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        var normal = Assistant.Conversation(created: WallTime(nanosecondsSince1970: 0))
        (normal.id, normal.refusal, normal.logIn) = (id, refusal, logIn)
        normal.finished = finished.map { entry in
            let ending = form.normal(entry.ending)
            return Assistant.FinishedQuestion(question: normalized(entry.question, &form), ending: ending)
        }
        if case .busy(let former, let behind) = queue {
            var head = Assistant.Head(normalized(former.question, &form))
            (head.stage, head.deferrals) = (former.stage, former.deferrals)
            if case .asking(let asking) = head.stage {
                head.stage = .asking(
                    Assistant.Asking(
                        attempt: form.normal(asking.attempt), since: .origin, patience: asking.patience))
            }
            normal.queue = .busy(head, behind: behind.map { normalized($0, &form) })
        }
        self = normal
    }

    private func normalized(_ question: Assistant.Question, _ form: inout NormalForm) -> Assistant.Question {
        Assistant.Question(
            id: QuestionID(number: rank(question.id.number)), text: question.text,
            time: form.normal(question.time))
    }

    /// The number of existing questions that were written before that one. O(n).
    fileprivate func rank(_ number: UInt64) -> UInt64 {
        var count: UInt64 = 0
        for entry in finished where entry.question.id.number < number { count += 1 }
        guard case .busy(let head, let behind) = queue else { return count }
        if head.question.id.number < number { count += 1 }
        for question in behind where question.id.number < number { count += 1 }
        return count
    }
}

extension Assistant.Ending: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        guard case .answered(let answer) = self else { return }
        self = .answered(
            Assistant.Answer(
                text: answer.text, isWhole: answer.isWhole, time: form.normal(answer.time),
                responseTime: .zero, tokens: answer.tokens))
    }
}

extension Account: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        self = Account(
            user: user, secret: form.normal(secret), device: form.renamed(device),
            expires: form.normal(expires))
    }
}

extension Assistant.Call: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .ask(let attempt) = self else { return }
        self = .ask(form.normal(attempt))
    }
}

extension Assistant.Request: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .ask(let text, let conversation, let user, let secret) = self else { return }
        self = .ask(text, conversation: conversation, user: user, secret: form.normal(secret))
    }
}

extension Assistant.Event: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .answered(let text, let conversation, let time, let tokens) = self else { return }
        self = .answered(text, conversation: conversation, time: form.normal(time), tokens: tokens)
    }
}

extension Assistant.Record: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .pacing(let pacing) = self else { return }
        self = .pacing(form.normal(pacing))
    }
}

// The name of a person, and deadlines: nothing to replace.
extension Assistant.Key: Normalizable {}
extension Assistant.Timer: Normalizable {}
