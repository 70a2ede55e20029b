@testable import ChatDomain
@testable import ChatEffects
import TestVolume
import Testing

extension Pairing: NormalFeature {}
extension Assistant: NormalFeature {}
extension Streaming: NormalFeature {}
extension SmartReplies: NormalFeature {}
extension Chat: NormalFeature {}

@Suite("Normal forms")
struct NormalFormTests {
    @Test("L2, L4: pairing goes on alike from equal normal forms")
    func pairing() { check(.pairing, seeds: 1...thoroughly(40, otherwise: 15)) }

    @Test("L2, L4: the assistant goes on alike from equal normal forms")
    func assistant() { check(.assistant, seeds: 1...thoroughly(40, otherwise: 15)) }

    @Test("L2, L4: a stream goes on alike from equal normal forms", arguments: [false, true])
    func streaming(hasFallback: Bool) {
        check(.streaming(hasFallback: hasFallback), seeds: 1...thoroughly(50, otherwise: 15))
    }

    @Test("L2, L4: smart replies go on alike from equal normal forms")
    func smartReplies() { check(.smartReplies, seeds: 1...thoroughly(50, otherwise: 15)) }

    @Test("L2, L4: chat goes on alike from equal normal forms", arguments: [true, false])
    func chat(onSocket: Bool) { check(.chat(onSocket: onSocket), seeds: 1...thoroughly(40, otherwise: 15)) }

    private func check<F: NormalFeature>(_ story: Story<F>, seeds: ClosedRange<UInt64>) {
        let twins = Twins.run(story, seeds: seeds, steps: 60)
        #expect(twins.violations == [])
        #expect(
            twins.meetings > thoroughly(100, otherwise: 50),
            "too few strangers meet, so that little was compared")
    }

    @Test("a form that leaves out what matters is found, and one that leaves in what does not")
    func unsound() {
        #expect(Twins.run(Taps.story(nil), seeds: 1...50, steps: 60).violations == [])
        for mistake in [.leavesOutTheCount, .leavesInTheAttempt, .leavesOutTheInstant] as [Taps.Mistake] {
            let found = Twins.run(Taps.story(mistake), seeds: 1...50, steps: 60).violations
            #expect(!found.isEmpty, "\(mistake)")
        }
    }

    @Test("situations that differ in a phase, or in a nanosecond until a deadline, have different forms")
    func distinct() {
        let story = Story<Pairing>.pairing
        for seed in 1...40 {
            var life = Life(story, tag: seed)
            for step in 0..<40 {
                let before = life
                life.move(story, .seeded(UInt64(seed * 1_000 + step)))
                let phases = [before, life].map { Pairing.screen($0.machine.state.inner, .neutral) }
                if phases[0] != phases[1] { #expect(before.form != life.form) }
                guard let next = life.machine.nextDeadline, next - life.machine.moment.now > .seconds(1)
                else {
                    continue
                }
                var later = life
                later.wait(Interval(nanoseconds: 1))
                #expect(later.form != life.form)
            }
        }
    }

    @Test("a time beyond the horizon is as good as one at it, and a name stays the name of one thing")
    func horizon() {
        let moment = Moment(now: .origin + .seconds(100), wall: WallTime(millisecondsSince1970: 1_000_000))
        var form = NormalForm(moment: moment, horizon: .seconds(60))
        var times = [moment.wall - .seconds(60), moment.wall - .seconds(61), moment.wall - .seconds(59)]
        times.normalize(&form)
        #expect(times[0] == times[1] && times[2] > times[1])
        var names: [ClientID] = ["a", "b", "a"]
        for index in names.indices { form.rename(&names[index]) }
        #expect(names[0] == names[2] && names[0] != names[1])
        var foreign: DeviceID = "c"
        form.renameKnown(&foreign)
        #expect(foreign == "c")
    }

    @Test("a form of attempts alone leaves names and times as they are, also a time that is over")
    func attemptsAlone() {
        var form = NormalForm.ofAttempts
        var attempts = [7, 3, 7].map { Attempt(number: $0) }
        attempts.normalize(&form)
        #expect(attempts == [0, 1, 0].map { Attempt(number: $0) })
        let account = Account(
            user: "kay", secret: SecretHandle("secret"), device: "device",
            expires: WallTime(millisecondsSince1970: 1_000_000))
        let normal = form.normal(account)
        #expect(normal == account)
        var end = WallTime(millisecondsSince1970: -1_000)
        form.relate(end: &end)
        #expect(end == WallTime(millisecondsSince1970: -1_000))
    }
}
