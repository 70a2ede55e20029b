// The laws that hold for every feature, ready for use. A feature itself only has to say when it waits, and where it
// would show a secret.

import ChatDomain
import ChatEffects

extension Law {
    /// Every activity has a timer that ends it, because an open call may stay silent (L3). The closure gets the state
    /// and whether a timer runs, and names an activity without a timer.
    public static func everySpinnerHasALimit<Codec: Backend>(
        _ spinner: @escaping @Sendable (Codec.Subject.State, (Codec.Subject.Timer) -> Bool) -> String?
    ) -> Law where Subject == MachineWorld<Codec> {
        Law("L3: whatever is under way has a deadline") { place in
            let timers = place.machine.runningTimers
            let stuck = spinner(place.state) { timer in timers.contains { $0.timer == timer } }
            return stuck.map { "is broken: no timer ends \($0)" }
        }
    }

    /// A running timer has an effect when it is due: an activity that is over leaves no timer, which could end the next
    /// one (L4). A visible notice could hide the effect of a timer, so the action dismisses it. An idle timer is one
    /// that a feature lets run although it may have no effect.
    public static func everyTimerHasAPurpose<Codec: Backend>(
        dismissing action: Codec.Subject.Action? = nil,
        idle: (@Sendable (Codec.Subject.Timer) -> Bool)? = nil
    ) -> Law where Subject == MachineWorld<Codec> {
        Law("L4: what is over has no timer") { place in
            guard place.hasDeadline else { return nil }
            let (machine, feature) = (place.machine, place.machine.feature)
            let before = action.map { place.reduced($0).state } ?? machine.state
            for running in machine.runningTimers where idle?(running.timer) != true {
                let wait = running.deadline - machine.moment.now
                let due = Moment(now: running.deadline, wall: machine.moment.wall + wait)
                var (state, context) = (before, Context(moment: due, entropy: .least(1)))
                let effects = feature.reduce(&state, .timerFired(running.timer), in: &context)
                if effects.isEmpty, state == before {
                    return "is broken: nothing waits for \(Rendering.source(of: running.timer))"
                }
            }
            return nil
        }
    }

    /// No timer restarts itself without end. Each exploration has this law: the machine postpones such a timer, so that
    /// everything goes on, but slowly. A long step of the clock may let so many timers fire that have an end.
    static func everyTimerEnds<Codec: Backend>() -> Law where Subject == MachineWorld<Codec> {
        Law(
            ofSteps: "every timer ends",
            { before, _, after in
                let former = before.machine.diagnostics.postponedTimers.value
                guard after.machine.diagnostics.postponedTimers.value > former,
                    after.machine.moment.now - before.machine.moment.now < .seconds(100)
                else { return nil }
                return "is broken: a timer restarts itself without end"
            })
    }

    /// A second tap on the same button changes nothing more (L7).
    public static func idempotent<Codec: Backend>(_ action: Codec.Subject.Action) -> Law
    where Subject == MachineWorld<Codec> {
        Law("L7: \(Rendering.source(of: action)) twice is once") { place in
            var (state, context) = (
                place.state, Context(moment: place.machine.moment, entropy: .least(1))
            )
            let feature = place.machine.feature
            _ = feature.reduce(&state, action, in: &context)
            let once = state
            let effects = feature.reduce(&state, action, in: &context)
            if !effects.isEmpty { return "is broken: the second has effects" }
            return state == once ? nil : "is broken: the second changes the state"
        }
    }

    /// The number of calls and operations under way has a limit (L8).
    public static func bounded<Codec: Backend>(calls: Int, operations: Int) -> Law
    where Subject == MachineWorld<Codec> {
        Law("L8: what is under way is bounded") { place in
            if place.openCalls.count > calls { return "is broken: \(place.openCalls.count) open calls" }
            if place.pendingOperations > operations {
                return "is broken: \(place.pendingOperations) operations"
            }
            return nil
        }
    }

    /// The number of operations of one record under way has a limit, also on a silent disk (L8).
    public static func bounded<Codec: Backend>(operationsPerRecord limit: Int) -> Law
    where Subject == MachineWorld<Codec> {
        Law("L8: the operations of one record are bounded") { place in
            let pending = place.machine.pendingStorage
            guard pending.count > limit else { return nil }
            for operation in pending {
                let count = pending.count { $0.path == operation.path }
                if count > limit { return "is broken: \(count) operations of \(operation.path.components)" }
            }
            return nil
        }
    }

    /// An action that ends something starts nothing (L7): it opens no call and starts no timer.
    public static func startsNothing<Codec: Backend>(_ action: Codec.Subject.Action) -> Law
    where Subject == MachineWorld<Codec> {
        Law("L7: \(Rendering.source(of: action)) starts nothing") { place in
            for effect in place.reduced(action).effects {
                switch effect {
                case .open: return "is broken: a call is opened"
                case .start: return "is broken: a timer is started"
                case .send, .close, .load, .save, .erase, .cancel, .haptic: break
                }
            }
            return nil
        }
    }

    /// No state, no name of a call, no plain record and no request shows a text that only a secret holds (L10). Requests
    /// are seen where bytes answer them (`.wire`). The check visits the whole values.
    public static func noSecretIsShown<Codec: Backend>(_ mark: String) -> Law
    where Subject == MachineWorld<Codec> {
        Law("L10: no secret is shown") { place in
            func isShown(in value: some Any) -> Bool {
                var text = ""
                dump(value, to: &text)
                return text.contains(mark)
            }
            func isShown(as content: RecordContent) -> Bool {
                guard case .bytes(let bytes) = content else { return false }
                return String(decoding: bytes, as: UTF8.self).contains(mark)
            }
            if isShown(in: place.state) { return "is broken: the state shows it" }
            if isShown(in: place.openCalls) { return "is broken: the name of a call shows it" }
            for entry in place.disk.entries where isShown(as: entry.content) {
                return "is broken: the record at \(entry.key.path.components) shows it"
            }
            for operation in place.machine.pendingStorage {
                guard case .save(let content) = operation.work, isShown(as: content) else { continue }
                return "is broken: a save to \(operation.path.components) shows it"
            }
            for (_, exchange) in place.exchanges {
                if isShown(in: exchange) { return "is broken: a request shows it" }
                guard case .http(_, _, _, let body, _) = exchange else { continue }
                for case .bytes(let bytes) in body.parts where isShown(as: .bytes(bytes)) {
                    return "is broken: the body of a request shows it"
                }
            }
            return nil
        }
    }
}

extension MachineWorld {
    /// The state after an action, and its effects.
    func reduced(_ action: Subject.Action) -> (state: Subject.State, effects: [Subject.Effect]) {
        var (state, context) = (machine.state, Context(moment: machine.moment, entropy: .least(1)))
        let effects = machine.feature.reduce(&state, action, in: &context)
        return (state, effects)
    }
}
