// The visible and the spoken form of a reply (R3, S1, S16, S17). Text is never copied, so a visible update costs the
// same at any length.

extension Streaming {
    /// The bubble of a reply.
    public struct Bubble: PlainValue {
        /// The visible text of the reply.
        public let text: LongText
        /// Whether the typing indicator shows (S1).
        public let isTyping: Bool
        /// Whether the progress mark shows (S1).
        public let isRunning: Bool
        /// The sentence below the text.
        public let note: ExactText?
        /// When the server accepts questions again, if it said so; the front end adds it to the note.
        public let waitUntil: WallTime?
        /// The retry button, if there is one.
        public let retry: RetryButton?
        /// The accessibility label of the bubble (S17).
        public let label: LongText
        /// The spontaneous announcement of a screen reader; `nil` while text grows (S17).
        public let announcement: LongText?
    }

    /// The retry button.
    public struct RetryButton: PlainValue {
        /// The title.
        public let title: ExactText
        /// The accessibility label.
        public let label: ExactText
    }

    /// The bubble; `nil` when there is nothing to show.
    public static func bubble(_ state: State, _ wording: Wording) -> Bubble? {
        switch state.phase {
        case .idle: nil
        case .waiting, .streaming: running(state.inView, isTyping: state.isTyping, wording)
        case .finished(let reply):
            Bubble(
                text: reply.text, isTyping: false, isRunning: false, note: nil, waitUntil: nil, retry: nil,
                label: reply.text, announcement: reply.text)
        case .interrupted(let reply, let partial): ended(reply.ending.reason, partial.text, wording)
        case .failed(let reply): ended(reply.ending.reason, LongText(), wording)
        }
    }

    private static func running(_ text: LongText, isTyping: Bool, _ wording: Wording) -> Bubble {
        Bubble(
            text: text, isTyping: isTyping, isRunning: true, note: nil, waitUntil: nil, retry: nil,
            label: text.isEmpty ? LongText(wording.typing) : text, announcement: nil)
    }

    private static func ended(_ reason: Reason, _ text: LongText, _ wording: Wording) -> Bubble {
        let note = sentence(reason, hasText: !text.isEmpty, wording)
        let spoken = note.map { LongText($0) }
        return Bubble(
            text: text, isTyping: false, isRunning: false, note: note, waitUntil: reason.waitUntil,
            retry: RetryButton(title: wording.retry, label: wording.retryLabel),
            label: text.isEmpty ? spoken ?? text : text, announcement: spoken)
    }

    /// Whether the first text came later than the target (S16). `nil` while it may still be in time, which includes the
    /// instant of the target, and after an end without text.
    public func missedFirstTokenTarget(_ state: State, at now: Instant) -> Bool? {
        if let time = state.measures.timeToFirstToken { return time > configuration.firstTokenTarget }
        guard state.isRunning, now - state.measures.started > configuration.firstTokenTarget
        else { return nil }
        return true
    }

    /// The sentence about the end of a reply; `nil` when the end was wanted (L7).
    static func sentence(
        _ reason: Reason, hasText: Bool, canRetry: Bool = true, _ wording: Wording
    ) -> ExactText? {
        let lostAfterText = canRetry ? wording.lostAfterText : wording.lostWithoutRetry
        return switch reason {
        case .stopped, .left: nil
        case .signInFirst: wording.signInFirst
        case .signInAgain: wording.signInAgain
        case .broken(.offline): wording.offline
        case .broken(.lost), .endedEarly, .gap: hasText ? lostAfterText : wording.lostBeforeText
        case .broken(.timedOut), .timedOut, .noReply: hasText ? lostAfterText : wording.noReply
        case .broken(.unreachable): wording.connectFailed(wording.reasons.unreachable)
        case .broken(.insecure): wording.connectFailed(wording.reasons.insecure)
        case .broken(.malformed), .empty: wording.replyInvalid
        case .broken(.secretMissing): wording.signInFirst
        case .broken(.recordMissing): wording.connectFailed(wording.reasons.recordMissing)
        case .broken(.tooLarge), .tooLong: wording.replyTooLong
        case .reported(let sentence): sentence.isEmpty ? wording.replyFailed : sentence
        case .refused(429, _): wording.serverAskedToWait
        case .refused: wording.replyFailed
        }
    }
}

extension Streaming.State {
    /// The text in view: the reply's, or the kept text until new text replaces it.
    var inView: LongText {
        switch phase {
        case .idle, .failed: return LongText()
        case .waiting(let asking, .open(let reply)), .streaming(let asking, let reply):
            return reply.growth.shown.isEmpty ? asking.kept.text : reply.growth.shown
        case .waiting(let asking, _): return asking.kept.text
        case .finished(let reply): return reply.text
        case .interrupted(_, let partial): return partial.text
        }
    }

    /// Whether a reply is in flight and none of its text is in view (S1).
    var isTyping: Bool {
        switch phase {
        case .idle, .finished, .interrupted, .failed: return false
        case .waiting(let asking, .open(let reply)), .streaming(let asking, let reply):
            return reply.growth.shown.isEmpty && !asking.kept.isCurrent
        case .waiting(let asking, _): return !asking.kept.isCurrent
        }
    }
}

extension Streaming.Kept {
    /// Keeps the text of an earlier asking, if there is any.
    init(earlier text: LongText) { self = text.isEmpty ? .nothing : .earlier(text) }

    package var text: LongText {
        switch self {
        case .nothing: LongText()
        case .earlier(let text), .current(let text, _): text
        }
    }

    /// Whether it has text of this asking.
    var isCurrent: Bool { if case .current = self { true } else { false } }
}

extension Streaming.Reason {
    /// When the server accepts questions again, if it said so.
    package var waitUntil: WallTime? { if case .refused(_, let until) = self { until } else { nil } }
}
