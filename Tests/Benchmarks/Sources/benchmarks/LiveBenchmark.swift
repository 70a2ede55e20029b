// What the loop on the system's clock adds: an action that is sent to it, with nobody and with somebody listening to its
// states, and an arrival of a network that works by itself. Each is sent from outside of its actor, as a front end does.

import ChatDomain
import ChatEffects
import Dispatch

/// A network that carries nothing out; what arrives comes from the benchmark.
private struct SilentNetwork: NetworkDriver {
    mutating func carryOut(_ operation: DriverOperation, at moment: Moment) {}
    var nextDeadline: Instant? { nil }
    mutating func advance(to moment: Moment) -> [Outcome] { [] }
}

private typealias CountingLoop = SystemLoop<SilentBackend<Counting>, MemoryStore, SilentNetwork>

/// Waits for what runs on the pool's threads.
private func wait(_ body: @escaping @Sendable () async -> Void) {
    let end = DispatchSemaphore(value: 0)
    Task {
        await body()
        end.signal()
    }
    end.wait()
}

/// Actions one after another.
private func sending(_ action: Counting.Action, isHeard: Bool = false) -> Workload {
    Workload(
        operations: 10_000,
        prepare: { () -> (loop: CountingLoop, listener: Task<UInt64, Never>?) in
            let machine = Machine(
                Counting(), state: 0, backend: SilentBackend(), moment: .start, entropy: .seeded(1))
            let loop = CountingLoop(Loop(machine, store: MemoryStore(), server: SilentNetwork()))
            let listener = Task {
                var sum: UInt64 = 0
                if isHeard { for await state in loop.states { sum &+= state } }
                return sum
            }
            return (loop, listener)
        },
        run: { subject in
            let loop = subject.loop
            wait { for _ in 0..<10_000 { await loop.send(action) } }
            subject.listener?.cancel()
        })
}

private typealias StreamLoop = SystemLoop<CoachStreamCodec, MemoryStore, SilentNetwork>

/// Tokens of a coach, each in a piece of its own, as fast as the loop takes them.
private func tokens() -> Workload {
    let token = Arrival.body(
        Array("data: {\"type\":\"token\",\"content\":\"Hello\",\"pattern_insight\":0}\n\n".utf8))
    let key = SecretHandle("k")
    var store = MemoryStore()
    _ = store.carryOut(.save(StorageTicket(0), .secret(key), .secret(Secret("key"))))
    return Workload(
        operations: 10_000,
        prepare: { () -> (loop: StreamLoop, arrivals: Arrivals) in
            let machine = Machine(
                Streaming(), state: Streaming.State(access: Streaming.Access(secret: key)),
                backend: CoachStreamCodec(), moment: .start, entropy: .seeded(1))
            let arrivals = Arrivals()
            let loop = StreamLoop(
                Loop(machine, store: store, server: SilentNetwork()), arrivals: arrivals)
            wait {
                await loop.send(.asked(Streaming.Question(conversation: .main, client: "c", text: "?")))
            }
            arrivals.add(.arrived(CallNumber(1), .head(status: 200, headers: [])))
            return (loop, arrivals)
        },
        run: { subject in
            let (loop, arrivals) = subject
            wait {
                for _ in 0..<10_000 { arrivals.add(.arrived(CallNumber(1), token)) }
                while await loop.state.measures.tokens < 10_000 { await Task.yield() }
            }
        })
}

/// Figures of the live loop.
func benchmarkLive(_ report: inout Report) {
    report.add("live loop, action", sending(.count), limits: [.nanoseconds(1_000, yardstick: 10.5)])
    report.add(
        "live loop, action, listened to", sending(.count, isHeard: true),
        limits: [.nanoseconds(2_000, yardstick: 10.5)])
    report.add("live loop, action that starts a timer", sending(.edit))
    report.add("live loop, token", tokens(), limits: [.nanoseconds(1_500, yardstick: 10.5)])
}
