// A feature small enough to be read at one look, with places for mistakes: it asks a server, waits 10 s at most, tries
// again three times with backoff, and keeps what it got.

import ChatDomain
import ChatEffects
import ChatTesting

struct Fetch: Feature, Explorable {
    /// A mistake that somebody could make.
    enum Mistake: DomainValue {
        case forgetsToCancelTheLimit, takesAnyAttempt, takesLateAnswers, countsNothing, isLateByOne
        case takesLateRefusals, forgetsTheLimit
    }

    var mistake: Mistake?

    enum State: DomainValue {
        case idle
        case waiting(Attempt, tries: Int64)
        case backingOff(tries: Int64)
        case done(ExactText)
        case failed
    }

    enum Call: DomainValue { case fetch(Attempt) }
    enum Timer: DomainValue, Normalizable { case limit, retry }

    enum Action: FeatureAction {
        case started
        case cancelled
        case received(ExactText, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Never>, under: Never, Attempt)
        case timerFired(Timer)
    }

    typealias Request = Bool
    typealias Frame = Never
    typealias Event = ExactText
    typealias Key = Never
    typealias Record = Never

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch (action, state) {
        case (.started, .idle), (.started, .failed): return ask(&state, tries: 0, &context)
        case (.timerFired(.retry), .backingOff(let tries)): return ask(&state, tries: tries, &context)
        case (.cancelled, .waiting(let attempt, _)):
            state = .idle
            return [.close(.fetch(attempt)), .cancel(.limit)]
        case (.cancelled, .backingOff):
            state = .idle
            return [.cancel(.retry)]
        case (.received(let text, _), .idle) where mistake == .takesLateAnswers:
            state = .done(text)
            return []
        case (.ended(_, .refused), .idle) where mistake == .takesLateRefusals:
            state = .failed
            return []
        case (.received(let text, .fetch(let attempt)), .waiting(let current, _))
        where attempt == current || mistake == .takesAnyAttempt:
            state = .done(text)
            return [.close(.fetch(current))] + (mistake == .forgetsToCancelTheLimit ? [] : [.cancel(.limit)])
        case (.ended(.fetch(let attempt), _), .waiting(let current, let tries))
        where attempt == current || mistake == .takesAnyAttempt:
            guard tries < 3 || mistake == .countsNothing else {
                state = .failed
                return [.cancel(.limit)]
            }
            state = .backingOff(tries: mistake == .countsNothing ? tries : tries + 1)
            let wait = Interval.seconds(1 << min(tries, 4))
            return [
                .cancel(.limit),
                .start(.retry, after: context.entropy.interval(from: wait, through: wait * 2)),
            ]
        case (.timerFired(.limit), .waiting(let attempt, _)):
            state = .failed
            return [.close(.fetch(attempt))]
        default: return []
        }
    }

    private func ask(_ state: inout State, tries: Int64, _ context: inout Context) -> [Effect] {
        let attempt = context.nextAttempt()
        state = .waiting(attempt, tries: tries)
        let limit = Interval.seconds(10) + Interval(nanoseconds: mistake == .isLateByOne ? 1 : 0)
        return [.open(.fetch(attempt), true)]
            + (mistake == .forgetsTheLimit ? [] : [.start(.limit, after: limit)])
    }

    static func normalize(state: inout State, _ form: inout NormalForm) {
        guard case .waiting(var attempt, let tries) = state else { return }
        form.rename(&attempt)
        state = .waiting(attempt, tries: tries)
    }

    static func normalize(call: inout Call, _ form: inout NormalForm) {
        guard case .fetch(var attempt) = call else { return }
        form.rename(&attempt)
        call = .fetch(attempt)
    }

    static func exploration(_ mistake: Mistake? = nil) -> Explore<Uncoded<Fetch>> {
        Explore(
            Fetch(mistake: mistake), from: .idle,
            [
                .person(.started, .cancelled), .calls { _ in ["text"] }, .ends(.failed(.lost)),
                .clock(.beforeDeadline, .deadline, .afterDeadline), .time(upTo: .seconds(20)), .jitter(),
                .relaunch({ _ in .idle }, then: .started).atMost(1),
            ]
        )
        .always(
            .everySpinnerHasALimit { state, runs in
                state.isUnderWay && !runs(.limit) && !runs(.retry) ? "the question" : nil
            }
        )
        .always("a timer runs only for what is under way") { $0.state.isUnderWay || !$0.hasDeadline }
        .noGhosts()
        .always(.idempotent(.cancelled))
        .leftAlone("it comes to rest") { !$0.state.isUnderWay }
    }
}

extension Fetch.State {
    var isUnderWay: Bool {
        switch self {
        case .waiting, .backingOff: true
        case .idle, .done, .failed: false
        }
    }
}
