// A feature that stores a secret, as one or by mistake in a plain record.

import ChatDomain
import ChatEffects
import ChatTesting

struct Keeping: Feature, Explorable {
    /// The key of the record that is written.
    var key: Key

    struct State: DomainValue {}

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
            case .token(let token, .plain): .bytes(Array("the token \(token.reveal().string)".utf8))
            }
        }

        static func read(_ bytes: [UInt8], under key: Key) -> RecordReading<Record> { .damaged }
    }

    enum Action: FeatureAction {
        case given
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
        guard case .given = action else { return [] }
        return [.save(.token(Secret("t0ken"), under: key), under: key, context.nextAttempt())]
    }
}
