// Simulations of the whole app. `chat simulate` runs as many as one likes in release.

import ChatDomain
import ChatEffects
import ChatTesting
import TestVolume
import Testing

@Suite("Simulations of several devices and a server, drawn from a seed")
struct SimulationTests {
    /// How many lives of twelve minutes. `chat simulate` draws as many as one likes.
    private static let seeds = thoroughly(16, otherwise: 5) as UInt64
    /// How many lives of a minute.
    private static let range = thoroughly(20, otherwise: 6)

    @Test(
        "L1, L3–L6, L8, L10, C12, C13, C16, C18, C19, C22, S17: the laws hold for any people, network, disks and server",
        arguments: UInt64(0)..<2)
    func laws(part: UInt64) {
        for seed in stride(from: 1 + part, through: Self.seeds, by: 2) {
            let report = SimulationReport(seed: seed, for: .minutes(12))
            if let story = report?.story { Issue.record("\(story)") }
        }
    }

    @Test("L2: the same seed twice gives the same bytes, states and disks, and another seed others")
    func deterministic() {
        var digests: [UInt64] = []
        for seed in UInt64(1)...3 {
            var (one, other) = (Simulation(seed: seed), Simulation(seed: seed))
            one.run(for: .minutes(2))
            other.run(for: .minutes(2))
            #expect(one == other && one.digest == other.digest, "seed \(seed)")
            digests.append(one.digest)
        }
        #expect(Set(digests).count == 3)
    }

    @Test("L2: a digest has every part of a request, and of the head and the end of its answer")
    func parts() {
        let call = CallNumber(1)
        func value(_ add: (inout Digest) -> Void) -> UInt64 {
            var digest = Digest()
            add(&digest)
            return digest.value
        }
        func request(
            _ method: ExactText = "POST", _ path: ExactText = "/a", _ header: ExactText = "1",
            _ part: Payload.Part = .bytes([1]), _ secret: SecretHandle? = nil
        ) -> UInt64 {
            let exchange = Exchange.http(
                method: method, path: path, headers: [Header("x", header)], body: Payload([part]),
                credential: secret)
            return value { $0.add(.open(call, exchange)) }
        }
        let requests = [
            request(), request("PUT"), request("POST", "/b"), request("POST", "/a", "2"),
            request("POST", "/a", "1", .bytes([2])), request("POST", "/a", "1", .secret(SecretHandle("s"))),
            request("POST", "/a", "1", .bytes([1]), SecretHandle("s")),
            value { $0.add(.open(call, .socket(path: "/a"))) },
            value { $0.add(.open(call, .socket(path: "/b"))) },
        ]
        #expect(Set(requests).count == requests.count)
        let payloads: [Payload.Part] = [.secret(SecretHandle("s")), .secret(SecretHandle("t")), .bytes([1])]
        #expect(Set(payloads.map { part in value { $0.add(Payload([part])) } }).count == payloads.count)
        let arrivals: [Arrival] = [
            .head(status: 200, headers: []), .head(status: 200, headers: [Header("x", "1")]),
            .ended(.completed), .ended(.failed(.lost)), .ended(.closed(code: 1_000, reason: "a")),
            .ended(.closed(code: 1_000, reason: "b")),
        ]
        #expect(Set(arrivals.map { arrival in value { $0.add(arrival, on: call) } }).count == arrivals.count)
    }

    @Test("L2: a range of seeds has one digest, whichever thread ran which")
    func range() {
        let runs = (0..<2).map { _ in
            SimulationSummary.of(3, from: 1, for: .minutes(1))
        }
        #expect(runs[0] == runs[1] && runs[0].runs == 3 && runs[0].steps > 0)
    }

    /// Whether to continue, for that many questions.
    private static func yes(times: Int) -> @Sendable () -> Bool {
        let left = Locked(times)
        return {
            left.withLock { left in
                left -= 1
                return left >= 0
            }
        }
    }

    @Test("a run of any length is stopped at any step, and does not count then", arguments: [0, 1, 2, 100])
    func stopping(times: Int) {
        let summary = SimulationSummary.of(1, from: 1, for: .hours(8_760), while: Self.yes(times: times))
        #expect(summary == SimulationSummary())
    }

    @Test("L2: a range that is stopped has the digest of the seeds before the first run that was stopped")
    func stoppedRange() {
        let whole = SimulationSummary.of(Self.range, from: 1, for: .minutes(1))
        // Whichever thread is late, the first seed is complete in one of three tries.
        let parts = [4, 2, 1, 1, 1].map { share in
            SimulationSummary.of(
                Self.range, from: 1, for: .minutes(1), while: Self.yes(times: whole.steps / share))
        }
        #expect(parts.contains { $0.runs > 0 })
        for part in parts {
            #expect(part.runs < Self.range)
            #expect(part == SimulationSummary.of(part.runs, from: 1, for: .minutes(1)))
        }
    }

    @Test("Two devices of one person, one of another, on clocks of their own, end in agreement")
    func agreement() throws {
        var run = try #require((1...60).lazy.map { Simulation(seed: $0) }.first { $0.devices.count == 3 })
        run.run(for: .minutes(5))
        #expect(run.complaint == nil)
        #expect(Set(run.server.logs.map { $0.user }).count > 1)
    }

    @Test(
        "L3, L5, C12, C13, C18: the world of a simulation does what its laws expect",
        arguments: [
            (37, 6), (425, 6), (1_154, 6), (1_482, 6), (2_282, 6), (2_601, 6), (4_458, 6), (6_209, 6),
            (6_751, 6),
        ]
            as [(UInt64, Int64)])
    func seeds(seed: UInt64, minutes: Int64) {
        let report = SimulationReport(seed: seed, for: .minutes(minutes))
        #expect(report != nil && report?.violation == nil, "\(report?.story ?? "")")
    }
}
