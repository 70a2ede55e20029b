// The message of a failed step: the expected and the actual values, and the earlier steps with their times. It is an
// error with a description, because this library imports no test framework; a test that wants its line marked gives the
// scenario a closure and records the failure with its place.

import ChatDomain
import ChatEffects
import Foundation

/// A step of a scenario with another result than expected.
public struct ScenarioFailure: Error, LocalizedError, CustomStringConvertible, Sendable {
    /// The differences, and the steps so far; several lines.
    public let message: String
    /// The step's file, in the form of `#fileID`.
    public let fileID: StaticString
    /// The step's file, in the form of `#filePath`.
    public let filePath: StaticString
    /// The step's line.
    public let line: UInt

    /// The message, after the place of the step.
    public var description: String { "\(fileID):\(line): \(message)" }

    /// The same text, for a framework that uses this property.
    public var errorDescription: String? { description }
}

extension Scenario {
    /// Throws a failure, or passes it to the closure of the scenario.
    @usableFromInline
    func fail(_ problems: [String], _ place: SourcePlace) throws {
        let steps = history.enumerated().map { index, step in
            "  \(index + 1). +\(step.at - begun)  \(text(of: step.what))"
        }
        let message = (problems + ["Steps:"] + steps).joined(separator: "\n")
        let failure = ScenarioFailure(
            message: message, fileID: place.fileID, filePath: place.filePath, line: place.line)
        guard let report else { throw failure }
        report(failure)
    }

    /// Describes the fields in which the state differs, and the missing and unexpected effects.
    @usableFromInline
    mutating func differences(_ state: F.State, _ effects: [F.Effect]?) -> [String] {
        let actual = machine.state
        let rendering = machineRendering
        var lines: [String] = []
        let places = state == actual.inner ? [] : Difference.places(state, actual.inner, rendering)
        if !places.isEmpty { lines.append("The state differs:") }
        for place in places {
            lines.append("  \(place.path.isEmpty ? "all of it" : place.path)")
            lines.append("    expected \(place.expected)")
            lines.append("    actual   \(place.actual)")
        }
        guard let effects else { return lines }
        lines.append("The effects differ:")
        let scratch = names
        let changes = actual.effects.difference(from: effects) { seen, said in
            var scratch = scratch
            return scratch.match(said, seen)
        }
        var unexpected = checksOnlyWhatIsSaid ? [] : changes.insertions.map { $0.effect }
        for effect in changes.removals.map({ $0.effect }) {
            lines.append("  missing     \(Rendering().text(effect))")
            guard let other = unexpected.firstIndex(where: { Difference.isSameCase(effect, $0) }) else {
                continue
            }
            let actual = unexpected.remove(at: other)
            lines.append("  unexpected  \(rendering.text(actual))")
            for place in Difference.places(effect, actual, rendering, isSame: { _, _ in true }) {
                lines.append("    \(place.path): expected \(place.expected), actual \(place.actual)")
            }
        }
        for effect in unexpected { lines.append("  unexpected  \(rendering.text(effect))") }
        if changes.isEmpty { lines.append("  an attempt is not the one that was named so before") }
        return lines
    }

    /// Writes the machine's values with the test's names for attempts.
    private var machineRendering: Rendering {
        let names = names
        return Rendering { attempt in
            names.name(of: attempt).map { "\($0.number)" } ?? "unnamed attempt \(attempt.number)"
        }
    }

    @usableFromInline
    func list<Value>(_ values: [Value]) -> String {
        values.isEmpty ? "none" : values.map { machineRendering.text($0) }.joined(separator: ", ")
    }

    @usableFromInline
    func text(of step: Stimulus) -> String {
        let rendering = machineRendering
        return switch step {
        case .send(let action): "send(\(rendering.text(action)))"
        case .advance(let interval): "advance(by: \(interval))"
        case .deliver(let event, let call): "deliver(\(rendering.text(event)), on: \(rendering.text(call)))"
        case .end(let call, let end): "end(\(rendering.text(call)), \(rendering.text(end)))"
        case .answer(let answer, let key): "answer(\(rendering.text(answer)), to: \(rendering.text(key)))"
        }
    }
}

extension CollectionDifference.Change {
    /// The removed or inserted element.
    fileprivate var effect: ChangeElement {
        switch self {
        case .insert(_, let element, _), .remove(_, let element, _): element
        }
    }
}
