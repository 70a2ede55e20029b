// The laws that hold for every feature, ready to be used. What a feature must say for itself is when it waits, and where it
// would show a secret.

import ChatDomain
import ChatEffects

extension Law {
    /// Whatever is under way is ended by a timer, since an open call may stay silent (L3). The closure is given the state
    /// and whether a timer runs, and names what is under way without one.
    public static func everySpinnerHasALimit<Codec: Backend>(
        _ spinner: @escaping @Sendable (Codec.Subject.State, (Codec.Subject.Timer) -> Bool) -> String?
    ) -> Law where Subject == MachineWorld<Codec> {
        Law("L3: whatever is under way has a deadline") { place in
            let timers = place.machine.runningTimers
            let stuck = spinner(place.state) { timer in timers.contains { $0.timer == timer } }
            return stuck.map { "is broken: no timer ends \($0)" }
        }
    }

    /// A timer that runs has something to do when it is due: what is over leaves none behind, which would end what has
    /// just begun (L4). A notice that is shown already would hide what a timer does, so the action dismisses it. What
    /// a feature lets run although it may come to nothing is named as idle.
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

    /// What is under way has a limit (L8).
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

    /// So many operations of one record are under way at most, also on a disk that answers nothing (L8).
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

    /// What a person ends starts nothing (L7): no call is opened and no timer started by it.
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

    /// A text that only a secret holds is shown by no state and no effect (L10). It costs a look at the whole value.
    public static func noSecretIsShown<Codec: Backend>(_ mark: String) -> Law
    where Subject == MachineWorld<Codec> {
        Law("L10: no secret is shown") { place in
            var text = ""
            dump(place.state, to: &text)
            return text.contains(mark) ? "is broken: the state shows it" : nil
        }
    }
}

extension MachineWorld {
    /// What an action would make of the state here, and ask of the world.
    func reduced(_ action: Subject.Action) -> (state: Subject.State, effects: [Subject.Effect]) {
        var (state, context) = (machine.state, Context(moment: machine.moment, entropy: .least(1)))
        let effects = machine.feature.reduce(&state, action, in: &context)
        return (state, effects)
    }
}
