// The comparisons after each step. Values are described only after a failure.

import ChatDomain
import ChatEffects

extension Scenario {
    /// The expected state after a step. It begins as the state before the step, and the closure of the step changes it.
    /// Its subscripts also give the attempts of the scenario by name.
    @dynamicMemberLookup
    public struct Expected {
        /// The whole state.
        public var state: F.State
        @usableFromInline let names: ScenarioNames<F>

        @usableFromInline
        init(state: F.State, names: ScenarioNames<F>) {
            self.state = state
            self.names = names
        }

        /// A part of the state.
        @inlinable
        public subscript<Part>(dynamicMember part: WritableKeyPath<F.State, Part>) -> Part {
            get { state[keyPath: part] }
            _modify { yield &state[keyPath: part] }
        }

        /// The attempt that an expected effect, of this step or an earlier one, has named like this.
        public subscript(_ name: Attempt) -> Attempt { names.attempt(named: name) ?? name }
    }

    /// Compares the result of a step with the expected one.
    @inlinable
    mutating func check(
        _ stimulus: Stimulus, _ effects: [F.Effect]?, _ change: (inout Expected) -> Void, _ place: SourcePlace
    ) throws {
        history.append((machine.moment.now, stimulus))
        machine.drain { _ in }
        let before = names.extent
        let areEffectsRight = machine.withState { state in
            checksOnlyWhatIsSaid
                ? names.find(effects ?? [], among: state.effects) : names.match(effects ?? [], state.effects)
        }
        var expected = Expected(state: checksOnlyWhatIsSaid ? machine.state.inner : known, names: names)
        change(&expected)
        let isStateRight = machine.withState { $0.inner == expected.state }
        if machine.diagnostics.postponedTimers.value > 0 {
            try fail(["A timer was postponed: one restarts itself without end, or too many are due"], place)
        } else if !areEffectsRight || !isStateRight {
            if !areEffectsRight { names.shrink(to: before) }
            try fail(differences(expected.state, areEffectsRight ? nil : effects ?? []), place)
        }
        known = machine.withState { state in
            state.effects = []
            return state.inner
        }
    }

    /// The designated open call.
    @inlinable
    mutating func find(_ call: Designator<F.Call>, _ place: SourcePlace) throws -> F.Call? {
        let open = machine.openCalls.map { $0.call }
        let index = call.index(among: open) { names.isSame($0, $1, names.call) }
        if let index { return open[index] }
        try fail(["\(call.complaint("call")); open are: \(list(open))"], place)
        return nil
    }

    /// The designated storage operation.
    @inlinable
    mutating func find(
        _ operation: Designator<F.Key>, _ place: SourcePlace
    ) throws -> (StorageTicket, F.Key)? {
        let open = machine.pendingStorage.filter { $0.isStarted }
        let index = operation.index(among: open.map { $0.key }) { names.isSame($0, $1, names.key) }
        if let index { return (open[index].ticket, open[index].key) }
        try fail(
            ["\(operation.complaint("storage operation")); to be answered are: \(list(open.map { $0.key }))"],
            place)
        return nil
    }
}

/// Designates one of the open calls, or of the unanswered storage operations.
public enum Designator<Name: Equatable> {
    /// The only one.
    case only
    /// The one at a position, from the oldest, which is 0.
    case at(Int)
    /// The latest one.
    case newest
    /// The oldest with that name. An attempt in it is the one that an expected effect has named like this.
    case named(Name)
    /// The oldest whose name matches.
    case matching((Name) -> Bool)

    @inlinable
    func index(among open: [Name], isSame: (Name, Name) -> Bool) -> Int? {
        switch self {
        case .only: open.count == 1 ? 0 : nil
        case .at(let position): open.indices.contains(position) ? position : nil
        case .newest: open.indices.last
        case .named(let name): open.firstIndex { isSame(name, $0) }
        case .matching(let isMeant): open.firstIndex(where: isMeant)
        }
    }

    /// Describes a call or operation that was not found.
    @usableFromInline
    func complaint(_ kind: String) -> String {
        switch self {
        case .only: "There is not exactly one \(kind)"
        case .at(let position): "There is no \(kind) at position \(position)"
        case .newest: "There is no \(kind)"
        case .named(let name): "There is no \(kind) named \(Rendering().text(name))"
        case .matching: "There is no such \(kind)"
        }
    }
}
