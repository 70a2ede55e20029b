// The app that the terminal program runs, built from the header of a recording: so the program, a replay and a
// test have the same machine.

import ChatDomain
import ChatEffects

/// The set-up of the app of the terminal program.
public struct ChatSetup: Hashable, Sendable {
    /// The device that the app runs on.
    public var device: DeviceInfo

    /// Creates the set-up for a device.
    public init(device: DeviceInfo) { self.device = device }

    /// The machine before the first input.
    public func machine(moment: Moment, entropy: Entropy) -> Machine<ClawlineBackend> {
        let app = ChatApp(pairing: Pairing(configuration: .init(device: device)))
        return Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment, entropy: entropy)
    }

    /// The set-up for the header of a recording.
    public var encoded: JSONValue {
        var members: [JSONObject.Member] = [
            .init("app", .string("chat")), .init("platform", .string(device.platform)),
            .init("model", .string(device.model)),
        ]
        if let version = device.systemVersion { members.append(.init("systemVersion", .string(version))) }
        if let version = device.appVersion { members.append(.init("appVersion", .string(version))) }
        return .object(JSONObject(members))
    }

    /// Reads the set-up from the header of a recording.
    public init(_ json: JSONValue) throws(FieldError) {
        let fields = try Fields(json, in: "setup")
        let app = try fields.text("app")
        guard app == "chat" else { throw FieldError("app", .unknownWord(app)) }
        device = DeviceInfo(
            platform: try fields.text("platform"), model: try fields.text("model"),
            systemVersion: try fields.optionalText("systemVersion"),
            appVersion: try fields.optionalText("appVersion"))
    }
}

extension Replay where Codec == ClawlineBackend {
    /// Prepares a replay of the terminal program's app. Throws when the recording is of another app.
    public init(chat recording: Recording) throws(RecordingProblem) {
        do throws(FieldError) {
            let setup = try ChatSetup(recording.setup)
            self.init(
                recording, from: setup.machine(moment: recording.start, entropy: recording.entropy))
        } catch {
            throw RecordingProblem(
                line: 1,
                reason: "the set-up is not that of the terminal program's app: \(error.description)")
        }
    }
}
