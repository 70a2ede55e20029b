// The facts of a reply besides its text, and their meaning for its end. Some conventions send the reason of the end,
// the cost and the id in different events, and the last of them only with the end of the answer.

import ChatDomain

/// The known facts of a reply besides its text.
public struct ReplyFacts: DomainValue {
    /// The reply's marks; a new one is reported to the feature with those before it.
    public var flags: [ExactText] = []
    /// The server's id of the reply.
    public var id: MessageID?
    /// The cost of the reply.
    public var usage: Usage?
    /// The end of the reply, as the server reports it. Once it is set, the end of the answer is the end of the reply.
    public var ending: Ending?
    /// Whether text that can be seen has come.
    public internal(set) var hasText = false
    /// Whether such text has come in the current step or part; a dialect whose convention has these clears it.
    var hasStepText = false
    /// Whether the model has begun to call a tool.
    var hasCall = false
    /// Whether an event was skipped, which may have been an error.
    var hasSkipped = false

    /// Creates the facts before the first event.
    public init() {}

    /// The end of a reply, as a server reports it.
    public enum Ending: DomainValue {
        /// It is complete.
        case complete
        /// The model waits for the result of a tool. Its text so far is complete.
        case toolAwaited
        /// It is cut at the model's limit.
        case cut
        /// The model or its provider withholds it, for a named reason.
        case withheld(ExactText)
        /// It failed, with the server's sentence.
        case failed(ExactText)

        /// Whether what was said is an answer.
        var isGood: Bool { self == .complete || self == .toolAwaited }
    }

    /// The last event of the reply; nil while its end is unknown.
    public var last: Streaming.Event? {
        switch ending {
        case nil: nil
        case .complete: .done(id, usage)
        case .toolAwaited: hasText ? .done(id, usage) : .failed(Self.toolSentence)
        case .cut: .failed(Self.cutSentence)
        case .withheld(let reason): .failed(Self.withheldSentence(reason))
        case .failed(let sentence): .failed(sentence)
        }
    }

    // No server sends these, so they are in the language of most servers' sentences.

    /// It ended early, for a reason that is no good one; what was said stays, and may be asked for again.
    static func early(_ reason: ExactText) -> Ending {
        .failed(earlySentence(reason.cut(toByteCount: ClawlineAnswer.nameLimit)))
    }

    static let earlySentence: Phrase = "The answer ended early ({}). Please try again."
    static let stoppedSentence: ExactText = "The server stopped the answer. Please try again."
    static let toolSentence: ExactText =
        "The model asked for a tool, and this app has none. Ask in another way."
    static let cutSentence: ExactText = "The answer reached the model's length limit and ends here."
    static let withheldSentence: Phrase = "The model's provider withheld the answer ({}). Ask in another way."
}

extension ReplyFacts {
    /// The event at the end of an answer that reports only its end.
    mutating func completed() -> Streaming.Event {
        end(hasCall ? .toolAwaited : .complete)
        return last ?? .quiet
    }

    /// The event at a mark that ends any stream. Without the reason of an end it proves nothing when an event was skipped.
    mutating func marked() -> Streaming.Event {
        if hasSkipped, ending == nil { ending = Self.early("no reason given") }
        return completed()
    }

    /// Notes an end, unless another is known. A bad end replaces a good one: a filter that runs beside the model judges
    /// an answer whose end was told.
    mutating func end(_ ending: Ending?) {
        guard let ending, self.ending.map({ $0.isGood && !ending.isGood }) ?? true else { return }
        self.ending = ending
    }

    /// Notes a piece of the model's refusal, whose words are the reason of the end.
    mutating func decline(_ piece: ExactText?) {
        guard let piece, !piece.isEmpty else { return }
        guard case .failed(var sentence)? = ending else { return ending = .failed(piece) }
        sentence.append(piece)
        ending = .failed(sentence.cut(toByteCount: ClawlineAnswer.sentenceLimit))
    }

    /// Text behind a good end withdraws that: the server goes on, and its end is to come.
    mutating func withdrawEnd(before text: ExactText?) {
        guard text?.isEmpty == false, ending?.isGood == true else { return }
        ending = nil
    }

    /// Keeps the cost when both parts are there; a missing total is their sum.
    mutating func cost(prompt: Int64?, completion: Int64?, total: Int64?) {
        guard let prompt, let completion, prompt >= 0, completion >= 0 else { return }
        let sum = saturatingSum(prompt, completion)
        usage = Usage(prompt: prompt, completion: completion, total: total.map { max($0, 0) } ?? sum)
    }

    /// Notes text that can be seen: white space alone is no answer.
    mutating func hear(_ text: ExactText) {
        if !hasStepText, !text.isBlank { (hasText, hasStepText) = (true, true) }
    }

    /// Keeps the first id.
    mutating func name(_ id: ExactText?) {
        if self.id == nil, let id, !id.isEmpty { self.id = MessageID(id) }
    }
}
