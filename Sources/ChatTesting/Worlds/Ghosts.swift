// What has ended: the calls that are over and the storage operations that were answered. Each carries the identity of an
// attempt, and nothing from it may change a state any more (L4).

import ChatDomain
import ChatEffects

/// The calls and operations that have ended lately.
struct Ghosts<Subject: Feature>: Sendable {
    /// The most of each kind. A reducer that takes an old attempt for the current one does so for the one before.
    private static var limit: Int { 3 }

    private(set) var calls: [Subject.Call] = []
    private(set) var operations: [(key: Subject.Key, attempt: Attempt)] = []
    private var openBefore: [Subject.Call] = []
    private var pendingBefore: [(key: Subject.Key, attempt: Attempt)] = []

    /// Takes note of what is under way before a step.
    mutating func watch<Codec: Backend>(_ machine: Machine<Codec>) where Codec.Subject == Subject {
        openBefore = machine.openCalls.map { $0.call }
        pendingBefore = machine.pendingStorage.map { ($0.key, $0.attempt) }
    }

    /// Takes note of what the step has ended.
    mutating func compare<Codec: Backend>(_ machine: Machine<Codec>) where Codec.Subject == Subject {
        let (open, pending) = (machine.openCalls, machine.pendingStorage)
        for call in openBefore where !open.contains(where: { $0.call == call }) { calls.append(call) }
        for old in pendingBefore
        where !pending.contains(where: { $0.key == old.key && $0.attempt == old.attempt }) {
            operations.append(old)
        }
        calls.removeFirst(max(calls.count - Self.limit, 0))
        operations.removeFirst(max(operations.count - Self.limit, 0))
    }
}

extension MachineWorld {
    /// How a ghost changes the state or has an effect, if one does.
    var complaintOfGhosts: String? {
        for call in ghosts.calls where !machine.openCalls.contains(where: { $0.call == call }) {
            var actions: [Subject.Action] = [.ended(call, .failed(.lost)), .ended(call, .completed)]
            for happening in happenings {
                guard case .events(let events) = happening.kind else { continue }
                actions += events(call).map { .received($0, on: call) }
            }
            for action in actions { if let complaint = complaint(ofGhost: action) { return complaint } }
        }
        for (key, attempt) in ghosts.operations {
            let answers: [StorageAnswer<Subject.Record>] = [.failed(.unavailable), .saved, .erased, .missing]
            for answer in answers {
                if let complaint = complaint(ofGhost: .stored(answer, under: key, attempt)) {
                    return complaint
                }
            }
        }
        return nil
    }

    private func complaint(ofGhost action: Subject.Action) -> String? {
        var (state, context) = (machine.state, Context(moment: machine.moment, entropy: .least(1)))
        let effects = machine.feature.reduce(&state, action, in: &context)
        if !effects.isEmpty { return "is broken by \(SwiftLiteral.of(action)): it has effects" }
        if state != machine.state { return "is broken by \(SwiftLiteral.of(action)): it changes the state" }
        return nil
    }
}
