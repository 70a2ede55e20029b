// The calls and storage operations that have ended. Each has the identity of an attempt. A late
// answer to one of them must not change the state (L4). The late events are those that an alphabet has as events and as
// ends; what arrives as bytes is not asked, because a call that has ended has no decoder any more.

import ChatDomain
import ChatEffects

/// The latest calls and operations that have ended, each with all its possible late events.
struct Ghosts<Subject: Feature>: Sendable {
    /// The most of each kind. Three are enough: a reducer that takes an old attempt for the current one also takes the
    /// latest old one.
    private static var limit: Int { 3 }

    // Their actions are created only when a law asks for them: most steps lead to a known state.
    fileprivate var calls: [(call: Subject.Call, events: [Subject.Event])] = []
    fileprivate var operations: [(answers: [StorageAnswer<Subject.Record>], key: Subject.Key, Attempt)] = []
    /// How many have ended, with those that are forgotten.
    fileprivate var ended: (calls: Int, operations: Int) = (0, 0)

    /// Notes the calls and operations that a step has ended, with the records that a late load may bring.
    mutating func note<Codec: Backend>(
        _ calls: [OpenCall<Subject.Call, Codec.Progress>], _ pending: [PendingStorage<Subject.Key>],
        _ machine: Machine<Codec>, _ happenings: [Happening<Subject>],
        _ record: (Subject.Key) -> Subject.Record?
    ) where Codec.Subject == Subject {
        for old in calls where !machine.openCalls.contains(where: { $0.call == old.call }) {
            var all: [Subject.Event] = []
            for happening in happenings {
                guard case .events(let events) = happening.kind else { continue }
                let late = events(old.call, machine.moment)
                if all.isEmpty { all = late } else { all += late }
            }
            self.calls.append((old.call, all))
            ended.calls += 1
        }
        for old in pending
        where !machine.pendingStorage.contains(where: { $0.key == old.key && $0.attempt == old.attempt }) {
            var answers: [StorageAnswer<Subject.Record>] = [.failed(.unavailable)]
            answers.append(old.isLoad ? .missing : old.isSave ? .saved : .erased)
            if old.isLoad, let found = record(old.key) { answers.append(.loaded(found)) }
            operations.append((answers, old.key, old.attempt))
            ended.operations += 1
        }
        self.calls.removeFirst(max(self.calls.count - Self.limit, 0))
        operations.removeFirst(max(operations.count - Self.limit, 0))
    }

    /// A complaint about a late answer that has an effect or changes the state; `nil` if it does neither. Then the
    /// state after it, a copy of the one before, may take the next.
    static func complaint(
        of action: Subject.Action, _ feature: Subject, from before: Subject.State,
        to after: inout Subject.State, at moment: Moment
    ) -> String? {
        var context = Context(moment: moment, entropy: .least(1))
        let effects = feature.reduce(&after, action, in: &context)
        if !effects.isEmpty { return "is broken by \(Rendering.source(of: action)): it has effects" }
        return after == before
            ? nil : "is broken by \(Rendering.source(of: action)): it changes the state"
    }
}

extension MachineWorld {
    /// A complaint about the first late answer that changes the state or has an effect; nil if there is none. Only what
    /// has ended since those earlier ghosts is asked about.
    func complaintOfGhosts(since earlier: Ghosts<Subject> = Ghosts()) -> String? {
        // They begin anew with a process.
        let calls = ghosts.calls.suffix(max(ghosts.ended.calls - earlier.ended.calls, 0))
        let operations = ghosts.operations.suffix(max(ghosts.ended.operations - earlier.ended.operations, 0))
        guard !calls.isEmpty || !operations.isEmpty else { return nil }
        // One copy is enough, because its first change is the complaint.
        let before = machine.state
        var after = before
        for (call, events) in calls where !machine.openCalls.contains(where: { $0.call == call }) {
            for end in lateEnds {
                if let found = complaint(of: .ended(call, end), before, &after) { return found }
            }
            for event in events {
                if let found = complaint(of: .received(event, on: call), before, &after) { return found }
            }
        }
        for (answers, key, attempt) in operations {
            for answer in answers {
                let late = Subject.Action.stored(answer, under: key, attempt)
                if let found = complaint(of: late, before, &after) { return found }
            }
        }
        return nil
    }

    private func complaint(
        of action: Subject.Action, _ before: Subject.State, _ after: inout Subject.State
    ) -> String? {
        Ghosts.complaint(of: action, machine.feature, from: before, to: &after, at: machine.moment)
    }
}
