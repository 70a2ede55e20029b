// `chat replay`: gives the inputs of a recording to the app, and names the first difference.

import ChatDomain
import ChatEffects
import ChatTesting
import Foundation

/// The command with its arguments.
struct ReplayTool: Equatable {
    private var file = ""
    private var isJSON = false
    private var isTest = false
    private var step: Int64?

    static let help = """
        Replay a recording of the chat, and name the first step at which this build
        does something else.

        Usage: chat replay FILE [--json] [--at STEP] [--swift-test]

          --at STEP      Replay up to this step, and print the whole state there. 0 is
                         before the first step.
          --json         Print one JSON object.
          --swift-test   Print a Swift test file that replays the recording.
          --help         Show this text.

        The FILE - is standard input.

        The exit status is 0 when all is done as it was recorded, 1 at a divergence,
        and 2 when the file is cut, of a newer version, or no recording.
        """

    /// Runs the command with these arguments, and returns the exit status. Throws a sentence for an error.
    static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
        if arguments.contains("--help") || arguments.contains("-h") {
            StandardOutput.write(help + "\n")
            return 0
        }
        return try ReplayTool(arguments).run()
    }

    /// Parses the arguments. Throws a sentence for a wrong one.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": isJSON = true
            case "--swift-test": isTest = true
            case "--at":
                let value = try UsageError.value(of: argument, in: &rest)
                guard let number = Int64(value), number >= 0 else {
                    throw UsageError("“\(value)” is not the number of a step")
                }
                step = number
            case let option where option.hasPrefix("-") && option != "-":
                throw UsageError("unknown option “\(option)”")
            case let path where file.isEmpty: file = path
            default: throw UsageError("one recording is enough")
            }
        }
        guard !file.isEmpty else { throw UsageError("which recording? Usage: chat replay FILE") }
        if isTest, isJSON || step != nil { throw UsageError("--swift-test stands alone") }
    }

    /// Runs the command, and returns the exit status.
    func run() throws(UsageError) -> Int32 {
        let (recording, bytes) = try RecordingFile.read(file)
        if isTest {
            do throws(RecordingProblem) {
                StandardOutput.write(try Recording.swiftTest(of: bytes))
            } catch {
                throw UsageError("“\(file)”, \(error.description)")
            }
            return 0
        }
        if let step, step > Int64(recording.steps.count), recording.problem == nil {
            throw UsageError("the recording has \(recording.steps.count) steps, not \(step)")
        }
        var replay: Replay<ClawlineBackend>
        var divergences: [Divergence] = []
        var problem = step.map { $0 <= Int64(recording.steps.count) } ?? false ? nil : recording.problem
        do throws(RecordingProblem) {
            replay = try Replay(chat: recording)
        } catch {
            throw UsageError("“\(file)”, \(error.description)")
        }
        do throws(RecordingProblem) {
            // The first divergence, and the first one that the drivers would see.
            while let divergence = try replay.run(to: step) {
                if divergences.isEmpty || divergence.isOperation { divergences.append(divergence) }
            }
        } catch {
            problem = error
        }
        if isJSON { writeJSON(replay, divergences, problem) } else { writeText(replay, divergences) }
        if let problem {
            Program.complain(
                "chat replay: “\(file)”, \(problem.description); replayed so far: \(replay.step) steps")
        }
        return !divergences.isEmpty ? 1 : problem != nil ? 2 : 0
    }

    private func writeText(_ replay: Replay<ClawlineBackend>, _ divergences: [Divergence]) {
        if step != nil {
            for field in StateFields(replay.machine).fields {
                // One line for a field, whatever text it has.
                let value = JSONValue.string(field.value).encoded
                StandardOutput.write("\(field.path.string) = \(String(decoding: value, as: UTF8.self))\n")
            }
        }
        if let first = divergences.first {
            StandardOutput.write("Divergence at \(first.description)\n")
            guard !first.isOperation else { return }
            let seen = divergences.first { $0.isOperation }
            StandardOutput.write(
                seen.map { "What the world sees differs at \($0.description)\n" }
                    ?? "What the world sees is as it was recorded\n")
        } else if step == nil {
            StandardOutput.write("\(replay.step) steps replayed, each as it was recorded\n")
        }
    }

    private func writeJSON(
        _ replay: Replay<ClawlineBackend>, _ divergences: [Divergence], _ problem: RecordingProblem?
    ) {
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { object in
            object.member("steps", replay.recording.steps.count)
            object.member("replayed", replay.step)
            object.member("isComplete", replay.recording.problem == nil)
            if let divergence = divergences.first { write(divergence, as: "divergence", to: &object) }
            if let divergence = divergences.first(where: { $0.isOperation }) {
                write(divergence, as: "operation", to: &object)
            }
            if let problem {
                object.object("problem") { object in
                    object.member("line", problem.line)
                    object.member("reason", problem.reason)
                }
            }
            if step != nil {
                object.object("state") { object in
                    for field in StateFields(replay.machine).fields { object.member(field.path, field.value) }
                }
            }
        }
        StandardOutput.write(String(decoding: bytes, as: UTF8.self) + "\n")
    }

    private func write(_ divergence: Divergence, as name: ExactText, to object: inout JSONObjectWriter) {
        object.object(name) { object in
            object.member("step", divergence.step)
            object.member("line", divergence.line)
            object.member("place", divergence.place)
            if let recorded = divergence.recorded { object.member("recorded", recorded) }
            if let replayed = divergence.replayed { object.member("replayed", replayed) }
            object.member("further", divergence.further)
        }
    }
}
