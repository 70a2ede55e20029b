// A feature without a mind of its own, so that tests can make the machine do anything: an action carries the
// effects that it returns, and rules in the state say what is returned for the world's answers. Everything
// that reaches the reducer is written down with its moment.

@testable import ChatDomain
import ChatEffects

/// A feature that returns what it is told to return.
struct Script: Feature {
    enum Call: DomainValue {
        case a, b, c
    }

    enum Request: DomainValue {
        case http, socket
        /// The secret of that name is made new.
        case renewal(ExactText)
        /// A request with the secret of that name.
        case signed(ExactText)
    }

    /// What the codec makes of each is said in `ScriptCodec`.
    enum Frame: DomainValue {
        /// One frame goes out.
        case frame(UInt8)
        /// An event comes back at once, and no frame goes out.
        case echo(UInt8)
        /// That many events come back at once.
        case echoes(UInt8)
        /// A frame goes out, an event comes back, and the call is over.
        case last(UInt8)
    }

    enum Event: DomainValue {
        case byte(UInt8)
        case text([UInt8])
        case opened
        case head(Int64)
    }

    enum Timer: DomainValue {
        case a, b, c
        case numbered(Int64)
    }

    enum Action: FeatureAction, Codable {
        /// Returns those effects.
        case act([Effect])
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Note>, under: Place, Attempt)
        case timerFired(Timer)
    }

    /// What is returned for an answer of the world.
    struct Rule: DomainValue {
        var when: Action
        var effects: [Effect]
        /// How often the rule still holds.
        var times: Int64 = .max
    }

    /// One line of the log.
    struct Entry: DomainValue {
        var action: Action
        var moment: Moment
    }

    struct State: DomainValue {
        var log: [Entry] = []
        var rules: [Rule] = []
        /// Whether the log is kept; long chains only count.
        var isLogging = true
        var handled: Int64 = 0
    }

    typealias Key = Place
    typealias Record = Note

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        state.handled += 1
        if state.isLogging { state.log.append(Entry(action: action, moment: context.moment)) }
        if case .act(let effects) = action { return effects }
        for index in state.rules.indices
        where state.rules[index].times > 0 && state.rules[index].when == action {
            state.rules[index].times -= 1
            return state.rules[index].effects
        }
        return []
    }
}

/// A key that is its path.
struct Place: RecordKey, ExpressibleByArrayLiteral {
    var path: RecordPath

    init(arrayLiteral components: ExactText...) {
        path = RecordPath(components)
    }
}

/// A record of one byte: stored as its version, which is 1, and that byte.
struct Note: StoredRecord, Codable {
    var byte: UInt8

    func content(written: WallTime) -> RecordContent {
        .bytes([1, byte])
    }

    static func read(_ bytes: [UInt8], under key: Place) -> RecordReading<Note> {
        guard let version = bytes.first else { return .damaged }
        guard version == 1 else { return .newer(version: Int64(version)) }
        return bytes.count == 2 ? .record(Note(byte: bytes[1])) : .damaged
    }
}

/// A codec for `Script`: bytes become events, and some bytes do more.
struct ScriptCodec: Backend {
    typealias Subject = Script

    /// A byte that is skipped.
    static let unknown: UInt8 = 0xFE
    /// A byte that ends the call; what follows it is not read.
    static let last: UInt8 = 0xFF
    /// A byte that is answered by a frame.
    static let ping: UInt8 = 0xFD
    /// A byte after which the call goes on with another exchange.
    static let next: UInt8 = 0xFC
    /// The code of a close after which the call goes on with another exchange.
    static let goesOn: Int64 = 3_000

    struct Progress: DomainValue {
        var bytes: Int64 = 0
        var frames: Int64 = 0
    }

    func open(_ request: Script.Request) -> (exchange: Exchange, progress: Progress) {
        switch request {
        case .http:
            let body = Payload(bytes: [7])
            return (
                .http(method: "POST", path: "/ask", headers: [], body: body, credential: nil), Progress()
            )
        case .socket: return (.socket(path: "/socket"), Progress())
        case .renewal(let name):
            return (.renewal(path: "/renew", headers: [], of: SecretHandle(name)), Progress())
        case .signed(let name):
            let exchange = Exchange.http(
                method: "GET", path: "/signed", headers: [], body: Payload([]), credential: SecretHandle(name)
            )
            return (exchange, Progress())
        }
    }

    func send(
        _ frame: Script.Frame, progress: inout Progress, reaction: inout Reaction<Script.Event>
    ) {
        switch frame {
        case .frame(let byte):
            progress.frames += 1
            reaction.frames.append(Payload(bytes: [byte]))
        case .echo(let byte):
            reaction.events.append(.byte(byte))
        case .echoes(let count):
            for byte in 0..<count { reaction.events.append(.byte(byte)) }
        case .last(let byte):
            reaction.frames.append(Payload(bytes: [byte]))
            reaction.events.append(.byte(byte))
            reaction.end = .completed
        }
    }

    func receive(_ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Script.Event>) {
        switch arrival {
        case .opened: reaction.events.append(.opened)
        case .head(let status, _): reaction.events.append(.head(status))
        case .body(let bytes):
            for byte in bytes where reaction.end == nil {
                progress.bytes += 1
                switch byte {
                case ScriptCodec.unknown: reaction.skipped += 1
                case ScriptCodec.next: reaction.next = .socket(path: "/next")
                case ScriptCodec.last: reaction.end = .completed
                case ScriptCodec.ping: reaction.frames.append(Payload(bytes: [byte]))
                default: reaction.events.append(.byte(byte))
                }
            }
        case .text(let bytes): reaction.events.append(.text(bytes))
        case .tooLong, .signOfLife, .sent: break
        case .ended(.closed(code: ScriptCodec.goesOn, _)): reaction.next = .socket(path: "/next")
        case .ended: reaction.events.append(.byte(0))
        }
    }
}
