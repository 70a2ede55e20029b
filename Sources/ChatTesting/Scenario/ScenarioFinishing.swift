// The end of a scenario: nothing may be left open, unless the test lists it.

import ChatDomain
import ChatEffects

/// An item that is still open at the end of a scenario.
public enum LeftOpen<F: Feature> {
    /// A call.
    case call(F.Call)
    /// A running timer.
    case timer(F.Timer)
    /// A storage operation without an answer.
    case storage(F.Key)
    /// Any open calls.
    case anyCalls
    /// Any running timers.
    case anyTimers
    /// Any storage operations without an answer.
    case anyStorage
}

extension Scenario {
    /// Ends the scenario: the open items must be the listed ones, neither more nor fewer.
    public func finish(
        leaving expected: LeftOpen<F>...,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
    ) throws {
        let place = SourcePlace(fileID, filePath, line)
        var calls = machine.openCalls.map { $0.call }
        var timers = machine.runningTimers
        var storage = machine.pendingStorage.map { $0.key }
        var missing: [LeftOpen<F>] = []
        func take<Value>(_ values: inout [Value], _ left: LeftOpen<F>, where isMeant: (Value) -> Bool) {
            if let index = values.firstIndex(where: isMeant) {
                values.remove(at: index)
            } else {
                missing.append(left)
            }
        }
        for left in expected {
            switch left {
            case .call(let call): take(&calls, left) { names.isSame(call, $0, names.call) }
            case .timer(let timer): take(&timers, left) { names.isSame(timer, $0.timer, names.timer) }
            case .storage(let key): take(&storage, left) { names.isSame(key, $0, names.key) }
            case .anyCalls, .anyTimers, .anyStorage: break
            }
        }
        for left in expected {
            switch left {
            case .anyCalls: calls = []
            case .anyTimers: timers = []
            case .anyStorage: storage = []
            case .call, .timer, .storage: break
            }
        }
        var problems = missing.map { "Not left open at the end: \(Rendering().text($0))" }
        if !checksOnlyWhatIsSaid {
            problems += calls.map { "Left open at the end: .call(\(list([$0])))" }
            problems += timers.map {
                "Left open at the end: .timer(\(list([$0.timer]))), due in \($0.deadline - moment.now)"
            }
            problems += storage.map { "Left open at the end: .storage(\(list([$0])))" }
        }
        if !problems.isEmpty { try fail(problems, place) }
    }
}
