// The samples of Docs/Testing.md about recordings of a feature of one's own.

import ChatDomain
import ChatEffects
import ChatTesting
import Reminders
import Testing

// sample recordable
extension Reminders.Action: RecordableAction {
    public func encodeIntent(into bytes: inout [UInt8]) -> Bool {
        switch self {
        case .added(let text, let delay):
            JSONWriter.object(into: &bytes) { object in
                object.member("intent", "added")
                object.member("text", text)
                object.member("after", delay.nanoseconds)
            }
        case .dismissed:
            JSONWriter.object(into: &bytes) { object in object.member("intent", "dismissed") }
        case .accountChanged(let account):
            JSONWriter.object(into: &bytes) { object in
                object.member("intent", "accountChanged")
                guard let account else { return }
                object.member("user", account.user.text)
                object.member("secret", account.secret.name)
                object.member("device", account.device.text)
            }
        case .received, .ended, .stored, .timerFired: return false
        }
        return true
    }

    public init(intent json: JSONValue) throws(FieldError) {
        let fields = try Fields(json, in: "action")
        let intent = try fields.text("intent")
        switch intent {
        case "added":
            let delay = Interval(nanoseconds: try fields.integer("after"))
            self = .added(try fields.text("text"), after: delay)
        case "dismissed": self = .dismissed
        case "accountChanged":
            guard let user: UserID = try fields.optionalIdentifier("user") else {
                self = .accountChanged(nil)
                return
            }
            let secret = SecretHandle(try fields.text("secret"))
            self = .accountChanged(
                Account(user: user, secret: secret, device: try fields.identifier("device")))
        default: throw FieldError("intent", .unknownWord(intent))
        }
    }
}
// end

@Suite("Reminders, recorded")
struct ReminderRecordings {
    // sample recording
    func machine(_ moment: Moment, _ entropy: Entropy) -> Machine<RemindersBackend> {
        Machine(
            Reminders(), state: Reminders.State(), backend: RemindersBackend(), moment: moment,
            entropy: entropy)
    }

    @Test("a recorded run takes the same course again")
    func isReplayed() throws {
        let server = ScriptedServer([.http(503), .http(201)])
        var loop = Loop(machine(RemindersTests.moment, .seeded(1)), store: MemoryStore(), server: server)
        var bytes: [UInt8] = []
        var recorder = loop.startRecording(setup: .string("reminders")) { bytes += $0 }
        loop.send(.accountChanged(RemindersTests.ada))
        loop.send(.added("Call Bob", after: .minutes(5)))
        loop.advance(by: .minutes(5))
        loop.record(to: &recorder, isLast: true)

        let recording = try Recording(bytes)
        var replay = Replay(recording, from: machine(recording.start, recording.entropy))
        let divergence = try replay.run()
        #expect(divergence == nil && replay.isAtEnd && recording.problem == nil)
        #expect(replay.machine.state == loop.state && loop.state.due.map(\.text) == ["Call Bob"])
    }
    // end
}
