import ChatDomain
import ChatEffects
@testable import ChatTesting
import Testing

@Suite("A feature alone in a machine")
struct ObservedTests {
    @Test("the effects of an action can be read, and take no part in a comparison")
    func effects() {
        let pairing = Pairing(configuration: .init(device: DeviceInfo(platform: "iOS", model: "x")))
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0))
        let before = Machine(
            Observed(pairing), state: .init(Pairing.State(configuration: pairing.configuration)),
            backend: Uncoded<Observed<Pairing>>(), moment: moment, entropy: .seeded(1))
        var machine = before
        machine.send(.launched, at: moment)
        #expect(machine.state.effects.count > 2)
        var state = machine.state
        state.effects = []
        #expect(state == machine.state && state != before.state)
    }
}
