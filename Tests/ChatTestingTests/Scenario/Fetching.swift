// A small feature for the tests of scenarios: it fetches a page, waits ten seconds for it, and keeps what it got.

import ChatDomain
import ChatEffects
import ChatTesting

/// The name of a call, with and without a normal form of its own.
protocol CallName: DomainValue {
    init(_ attempt: Attempt)
    var attempt: Attempt { get }
}

struct PlainName: CallName {
    let attempt: Attempt
    init(_ attempt: Attempt) { self.attempt = attempt }
}

struct NormalName: CallName, Normalizable {
    var attempt: Attempt
    init(_ attempt: Attempt) { self.attempt = attempt }
    mutating func normalize(_ form: inout NormalForm) { form.rename(&attempt) }
}

struct Fetching<Name: CallName>: Feature {
    struct State: DomainValue {
        var phase = Phase.idle
        var pages: [Page] = []
        var isKept = false
    }

    struct Page: DomainValue {
        var text: ExactText
        var time: WallTime
    }

    enum Phase: DomainValue {
        case idle
        case fetching(Attempt, since: WallTime)
        case failed
    }

    enum Action: FeatureAction {
        case asked
        case cancelled
        case received(ExactText, on: Name)
        case ended(Name, CallEnd)
        case stored(StorageAnswer<Note>, under: NoteKey, Attempt)
        case timerFired(Timer)
    }

    enum Timer: DomainValue { case patience }

    typealias Call = Name
    typealias Request = ExactText
    typealias Frame = Never
    typealias Event = ExactText
    typealias Key = NoteKey
    typealias Record = Note

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .asked:
            let former = stop(&state)
            let attempt = context.nextAttempt()
            state.phase = .fetching(attempt, since: context.wall)
            return former + [.open(Name(attempt), "page"), .start(.patience, after: .seconds(10))]
        case .cancelled:
            return stop(&state)
        case .received(let text, let call):
            let stopping = stop(&state)
            state.pages.append(Page(text: text, time: context.wall))
            _ = call
            return stopping + [.save(Note(text: text), under: .note, context.nextAttempt())]
        case .ended:
            state.phase = .failed
            return [.cancel(.patience)]
        case .stored(let answer, _, _):
            state.isKept = answer == .saved
            return []
        case .timerFired(.patience):
            let stopping = stop(&state)
            state.phase = .failed
            return stopping
        }
    }

    private func stop(_ state: inout State) -> [Effect] {
        guard case .fetching(let attempt, _) = state.phase else { return [] }
        state.phase = .idle
        return [.close(Name(attempt)), .cancel(.patience)]
    }
}

enum NoteKey: RecordKey {
    case note
    var path: RecordPath { RecordPath(["note"]) }
}

struct Note: StoredRecord {
    typealias Key = NoteKey
    var text: ExactText

    func content(written: WallTime) -> RecordContent { .bytes([]) }
    static func read(_ bytes: [UInt8], under key: NoteKey) -> RecordReading<Note> { .damaged }
}

/// A feature whose timers and keys carry attempts.
struct Uploading: Feature {
    struct State: DomainValue {}
    enum Call: DomainValue { case upload(Attempt) }
    enum Timer: DomainValue { case limit(Attempt) }

    enum Key: RecordKey {
        case part(Attempt)
        var path: RecordPath {
            switch self {
            case .part(let attempt): RecordPath(["part", ExactText("\(attempt.number)")])
            }
        }
    }

    struct Part: StoredRecord {
        typealias Key = Uploading.Key
        func content(written: WallTime) -> RecordContent { .bytes([]) }
        static func read(_ bytes: [UInt8], under key: Key) -> RecordReading<Part> { .damaged }
    }

    enum Action: FeatureAction {
        case begun
        case received(Never, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Part>, under: Key, Attempt)
        case timerFired(Timer)
    }

    typealias Request = Bool
    typealias Frame = Never
    typealias Event = Never
    typealias Record = Part

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        guard action == .begun else { return [] }
        let attempt = context.nextAttempt()
        return [
            .open(.upload(attempt), true), .start(.limit(attempt), after: .seconds(10)),
            .save(Part(), under: .part(attempt), attempt),
        ]
    }
}

/// What a scenario has reported.
final class Reports: @unchecked Sendable {
    var failures: [ScenarioFailure] = []
}
