// The samples of Docs/Testing.md about laws: drawn runs, every order, and what is left alone.

import ChatDomain
import ChatEffects
import ChatTesting
import Reminders
import Testing

// sample laws
extension Reminders: Explorable {}

@Suite("Reminders, whatever happens")
struct ReminderLaws {
    let ada = Account(user: "ada", secret: SecretHandle("token"), device: "phone")

    var exploration: Explore<Uncoded<Reminders>> {
        Explore(
            Reminders(), from: Reminders.State(),
            [
                .person(.accountChanged(ada), .accountChanged(nil), .added("Call Bob", after: .minutes(5))),
                .person(.dismissed), .calls { _ in [.taken] }, .ends(.completed, .failed(.lost)),
                .storage(.answered, .failed(.full)), .clock(.beforeDeadline, .deadline), .time(),
            ]
        )
        .always("one upload at a time") { $0.openCalls.count <= 1 }
        .eachStep("a sign-out leaves nothing to show") { _, step, after in
            step != .person(.accountChanged(nil)) || (after.state.waiting + after.state.due).isEmpty
        }
        .noGhosts()
        .leftAlone("what was added is shown at its time") { $0.state.waiting.isEmpty }
    }

    @Test("every law holds in runs that are drawn")
    func drawn() throws { try exploration.random(seeds: 1...20, steps: 40) }

    @Test("every law holds in every order of the first steps")
    func everyOrder() throws { try exploration.everyOrder(depth: 4) }
}
// end
