// Two features that behave alike in equal states, and yet not: one has asked a server more than its state tells, the other
// has a record on the disk that no save replaces.

import ChatDomain
import ChatEffects
import ChatTesting

/// A search while a person types. The state has the query, and not the one that the server was asked.
struct TypeAhead: Feature, Explorable {
    /// Whether an answer to an earlier query is awaited no longer.
    var closesFormer: Bool

    struct State: DomainValue {
        var query: ExactText = ""
        var call: Attempt?
        var shown: ExactText?
    }

    enum Call: DomainValue { case search(Attempt) }

    enum Action: FeatureAction {
        case typed(ExactText)
        case received(ExactText, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Never>, under: Never, Attempt)
        case timerFired(Never)
    }

    typealias Request = ExactText
    typealias Frame = Never
    typealias Event = ExactText
    typealias Key = Never
    typealias Record = Never
    typealias Timer = Never

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .typed(let query):
            let former = state.call
            (state.query, state.shown) = (query, nil)
            if former != nil, !closesFormer { return [] }
            let attempt = context.nextAttempt()
            state.call = attempt
            return (former.map { [.close(.search($0))] } ?? []) + [.open(.search(attempt), query)]
        case .received(let answer, _): state.shown = answer
        case .ended: state.call = nil
        }
        return []
    }

    static func normalize(state: inout State, _ form: inout NormalForm) { state.call.normalize(&form) }

    static func normalize(call: inout Call, _ form: inout NormalForm) {
        guard case .search(var attempt) = call else { return }
        form.rename(&attempt)
        call = .search(attempt)
    }

    /// A server that answers each query with its text.
    struct Server: Backend {
        struct Progress: DomainValue {}
        typealias Subject = TypeAhead

        func open(_ request: ExactText) -> (exchange: Exchange, progress: Progress) {
            (.socket(path: request), Progress())
        }

        func receive(
            _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<ExactText>
        ) {
            if case .text(let bytes) = arrival { reaction.events.append(ExactText(decoding: bytes)) }
        }
    }

    static func exploration(closesFormer: Bool) -> Explore<Server> {
        Explore(
            TypeAhead(closesFormer: closesFormer), Server(), from: State(),
            [
                .person(.typed("a"), .typed("b")),
                .wire { _, exchange in
                    guard case .socket(let path) = exchange else { return [] }
                    return [.opened, .text(path.utf8)]
                },
            ]
        )
        .always("shows the answer to its query") { place in
            place.state.shown == nil || place.state.shown == place.state.query
        }
    }
}

/// A note that is loaded and then saved, whatever the load has found.
struct Notes: Feature, Explorable {
    enum State: DomainValue { case loading, ready, saving, saved, refused }

    enum Action: FeatureAction {
        case opened
        case written
        case received(Never, on: Never)
        case ended(Never, CallEnd)
        case stored(StorageAnswer<Note>, under: NoteKey, Attempt)
        case timerFired(Never)
    }

    typealias Call = Never
    typealias Request = Never
    typealias Frame = Never
    typealias Event = Never
    typealias Key = NoteKey
    typealias Record = Note
    typealias Timer = Never

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch (action, state) {
        case (.opened, .loading): return [.load(.note, context.nextAttempt())]
        case (.written, .ready):
            state = .saving
            return [.save(Note(text: "a"), under: .note, context.nextAttempt())]
        case (.stored, .loading): state = .ready
        case (.stored(let answer, _, _), .saving): state = answer == .saved ? .saved : .refused
        default: break
        }
        return []
    }

    static var exploration: Explore<Uncoded<Notes>> {
        Explore(
            Notes(), from: .loading,
            [
                .person { state in state == .loading ? [.opened] : [.written] },
                .storage(.answered, .failed(.newer(version: 9))),
            ]
        )
        .never("a save is refused") { $0.state == .refused }
    }
}
