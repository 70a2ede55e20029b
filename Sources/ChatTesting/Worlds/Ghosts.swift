// The calls and storage operations that have ended. Each carries the identity of an attempt, and none may change a
// state any more (L4).

import ChatDomain
import ChatEffects

/// The latest calls and operations that have ended, each with all its possible late events.
struct Ghosts<Subject: Feature>: Sendable {
    /// The most of each kind. A reducer that takes an old attempt for the current one does so for the one before.
    private static var limit: Int { 3 }

    // The actions are created when a call ends, and checked in each state from then on.
    fileprivate var calls: [(call: Subject.Call, actions: [Subject.Action])] = []
    fileprivate var operations: [[Subject.Action]] = []

    /// Notes the calls and operations that a step has ended.
    mutating func note<Codec: Backend>(
        _ calls: [OpenCall<Subject.Call, Codec.Progress>], _ pending: [PendingStorage<Subject.Key>],
        _ machine: Machine<Codec>, _ happenings: [Happening<Subject>]
    ) where Codec.Subject == Subject {
        for old in calls where !machine.openCalls.contains(where: { $0.call == old.call }) {
            var actions: [Subject.Action] = [
                .ended(old.call, .failed(.lost)), .ended(old.call, .completed),
            ]
            for happening in happenings {
                guard case .events(let events) = happening.kind else { continue }
                actions += events(old.call).map { .received($0, on: old.call) }
            }
            self.calls.append((old.call, actions))
        }
        for old in pending
        where !machine.pendingStorage.contains(where: { $0.key == old.key && $0.attempt == old.attempt }) {
            let answer: StorageAnswer<Subject.Record> = old.isLoad ? .missing : old.isSave ? .saved : .erased
            operations.append(
                [.failed(.unavailable), answer].map { .stored($0, under: old.key, old.attempt) })
        }
        self.calls.removeFirst(max(self.calls.count - Self.limit, 0))
        operations.removeFirst(max(operations.count - Self.limit, 0))
    }
}

extension MachineWorld {
    /// The change or the effect of a ghost; nil if there is none.
    var complaintOfGhosts: String? {
        // One copy is enough, because its first change is the complaint.
        var state = machine.state
        for ghost in ghosts.calls where !machine.openCalls.contains(where: { $0.call == ghost.call }) {
            if let complaint = complaint(of: ghost.actions, &state) { return complaint }
        }
        for actions in ghosts.operations {
            if let complaint = complaint(of: actions, &state) { return complaint }
        }
        return nil
    }

    private func complaint(of actions: [Subject.Action], _ state: inout Subject.State) -> String? {
        for action in actions {
            var context = Context(moment: machine.moment, entropy: .least(1))
            let effects = machine.feature.reduce(&state, action, in: &context)
            if !effects.isEmpty { return "is broken by \(Rendering.source(of: action)): it has effects" }
            if state != machine.state {
                return "is broken by \(Rendering.source(of: action)): it changes the state"
            }
        }
        return nil
    }
}
