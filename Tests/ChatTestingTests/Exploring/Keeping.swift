// A feature that stores a secret, as one or by mistake in a plain record, and looks for it.

import ChatDomain
import ChatEffects
import ChatTesting

struct Keeping: Feature, Explorable {
    /// The key of the record that is written.
    var key: Key
    /// Whether it makes the mistake of taking a record that it has not asked for.
    var takesLateLoads = false

    struct State: DomainValue {
        var load: Attempt?
        var isFound = false
    }

    enum Key: RecordKey {
        case secret, plain

        var path: RecordPath {
            switch self {
            case .secret: RecordPath(["token"], protection: .secret)
            case .plain: RecordPath(["token"])
            }
        }
    }

    enum Record: StoredRecord {
        typealias Key = Keeping.Key

        case token(Secret, under: Key)

        func content(written: WallTime) -> RecordContent {
            switch self {
            case .token(let token, .secret): .secret(token)
            case .token(let token, .plain): .bytes(Array(token.reveal().string.utf8))
            }
        }

        static func read(_ bytes: [UInt8], under key: Key) -> RecordReading<Record> {
            .record(.token(Secret(ExactText(String(decoding: bytes, as: UTF8.self))), under: key))
        }
    }

    enum Action: FeatureAction {
        case given, asked
        case received(Never, on: Never)
        case ended(Never, CallEnd)
        case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Never)
    }

    typealias Call = Never
    typealias Request = Never
    typealias Frame = Never
    typealias Event = Never
    typealias Timer = Never

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .given:
            return [.save(.token(Secret("t0ken"), under: key), under: key, context.nextAttempt())]
        case .asked:
            let attempt = context.nextAttempt()
            state.load = attempt
            return [.load(key, attempt)]
        case .stored(.loaded, _, let attempt) where attempt == state.load || takesLateLoads:
            (state.load, state.isFound) = (nil, true)
        case .stored(_, _, let attempt) where attempt == state.load: state.load = nil
        case .stored: break
        }
        return []
    }
}
