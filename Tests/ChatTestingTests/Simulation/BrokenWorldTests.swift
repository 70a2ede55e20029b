// Worlds that are broken on purpose: the laws of the simulation have to say so.

import ChatDomain
import ChatEffects
import Testing

@testable import ChatTesting

@Suite("The laws of a simulation fail where something is broken")
struct BrokenWorldTests {
    /// The first complaint in runs that are tampered with after every step.
    private func complaint(
        _ prefix: String, seeds: ClosedRange<UInt64> = 1...60, for duration: Interval = .minutes(5),
        _ tamper: (inout Simulation) -> Void
    ) -> String? {
        for seed in seeds {
            var run = Simulation(seed: seed)
            while run.passed < duration, run.complaint == nil {
                run.step(before: .origin + duration)
                tamper(&run)
            }
            if run.complaint == nil { run.settleDown() }
            if let complaint = run.complaint, complaint.contains(prefix) { return complaint }
        }
        return nil
    }

    @Test("L6: a server that forgets which ids it has seen has a message twice")
    func forgetfulServer() {
        let found = complaint("L6", seeds: 4...60) { run in
            for log in run.server.logs.indices {
                run.server.logs[log].entries = run.server.logs[log].entries.map { entry in
                    guard case .device(let device, let client) = entry.author,
                        !client.text.string.hasPrefix("x")
                    else { return entry }
                    return LocalServer.Entry(
                        id: entry.id, conversation: entry.conversation,
                        author: .device(device, ClientID(ExactText("x" + client.text.string))),
                        text: entry.text, files: entry.files, time: entry.time)
                }
            }
        }
        #expect(found != nil)
    }

    @Test("L5: a server that acknowledges a message and loses it is found out")
    func losingServer() {
        let found = complaint("L5") { run in
            for log in run.server.logs.indices where run.server.logs[log].entries.count > 2 {
                run.server.logs[log].entries.removeAll {
                    if case .device = $0.author { $0.id.text.string.hasSuffix("3") } else { false }
                }
            }
        }
        #expect(found != nil)
    }

    @Test("L5: a disk that claims to have written what it has not loses what a person wrote")
    func lyingDisk() {
        let found = complaint("L5", seeds: 30...60) { run in
            for device in run.devices.indices { run.devices[device].loop.store.isLying = true }
        }
        #expect(found != nil)
    }

    @Test("L3: a machine that has lost its timers waits for ever, and is found")
    func lostTimers() {
        let found = complaint("L3", for: .minutes(3)) { run in
            let loop = run.devices[0].loop
            let machine = Machine(
                run.app, state: loop.state, backend: ClawlineBackend(), moment: loop.moment,
                entropy: .seeded(1))
            run.devices[0].loop = Loop(machine, store: loop.store, server: Line())
        }
        #expect(found != nil)
    }

    @Test("L4: a late answer that changes only the state is found, and one that changes nothing is none")
    func ghosts() {
        let run = Simulation(seed: 1)
        let before = ChatApp.State(run.app)
        var after = before
        func found(_ action: ChatApp.Action) -> String? {
            Ghosts.complaint(of: action, run.app, from: before, to: &after, at: run.moment(on: 0))
        }
        #expect(found(.stored(.missing, under: .pairing(.device), Attempt(number: 0))) == nil)
        let edited = found(.pairing(.nameEdited("Kay")))
        #expect(edited?.hasSuffix("it changes the state") == true, "\(edited ?? "")")
    }
}
