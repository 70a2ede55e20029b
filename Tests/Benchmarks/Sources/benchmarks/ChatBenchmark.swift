// What the real features cost: actions of chat through the root and the machine, with transcripts of any
// length, with nobody holding earlier states and with a front end that holds all of them.

import AllocationCount
import BareReducer
import ChatDomain
import ChatEffects

/// What a person does, over and over, on a stage of its own.
private func acting(_ actions: [ChatApp.Action]) -> Workload {
    Workload(operations: actions.count, prepare: { AppOnStage(messages: 1_000) }) { stage in
        for action in actions { stage.machine.send(action, at: stage.moment) }
        black_hole(stage.machine.hasOperations ? 1 : 0)
    }
}

/// The same by chat's reducer alone, without the root and the machine: what those two are held to.
private func actingAlone(_ actions: [Chat.Action]) -> Workload {
    let machine = AppOnStage(messages: 1_000).machine
    let chat = machine.feature.chat
    return Workload(operations: actions.count, prepare: { machine.state.chat }) { state in
        var context = Context(moment: machine.moment, entropy: .seeded(1))
        for action in actions { black_hole(UInt64(chat.reduce(&state, action, in: &context).count)) }
    }
}

/// Room for the states of one round.
private func roomForStates(_ isHeld: Bool) -> [ChatApp.State] {
    var held: [ChatApp.State] = []
    if isHeld { held.reserveCapacity(1_000) }
    return held
}

/// Tokens of a reply below so many messages, that far apart. At a hundred a second batches of eight are shown
/// meanwhile, each by a timer; those that come at once gather.
private func tokens(
    _ count: Int, apart pause: Interval = .milliseconds(10), isHeld: Bool,
    ofTwoLookedAt isLookedAt: Bool? = nil
) -> Workload {
    var stage = AppOnStage(messages: count)
    if let isLookedAt { stage.park(thenReturn: isLookedAt) }
    return Workload(
        operations: Bare.tokens,
        prepare: { () -> (token: ChatApp.Action, held: [ChatApp.State]) in
            (stage.beginReply(), roomForStates(isHeld))
        },
        run: { subject in
            // One action for all, as the yardstick has: nothing is copied out of an array.
            let token = subject.token
            stage.play { stage in
                for _ in 0..<Bare.tokens {
                    if isHeld { subject.held.append(stage.machine.state) }
                    stage.moment = stage.moment + pause
                    stage.machine.send(token, at: stage.moment)
                }
            }
        })
}

/// Replies that arrive once more with another text, all over so many messages, while a page is being saved. Saving
/// leaves nothing in the caches, so each has got a text before the clock starts, as in the yardstick.
private func updates(_ count: Int, isHeld: Bool) -> Workload {
    var stage = AppOnStage(messages: count)
    var round = 0
    return Workload(
        operations: Bare.updates,
        prepare: { () -> (updates: [ChatApp.Action], held: [ChatApp.State]) in
            round += 1
            stage.serve()
            stage.receive(AppOnStage.reply(0, ExactText("\(round)")))
            let updates = stage.updates(among: count, "\(round)")
            for update in stage.updates(among: count, "earlier \(round)") {
                stage.machine.send(update, at: stage.moment)
            }
            return (updates, roomForStates(isHeld))
        },
        run: { subject in
            stage.play { stage in
                for update in subject.updates {
                    if isHeld { subject.held.append(stage.machine.state) }
                    stage.machine.send(update, at: stage.moment)
                }
            }
        })
}

extension AppOnStage {
    /// Replies among so many that arrive once more with another text.
    fileprivate func updates(among count: Int, _ text: String) -> [ChatApp.Action] {
        (0..<Bare.updates).map { number in
            action(AppOnStage.reply(Bare.target(number, among: count), ExactText(Bare.answer(number, text))))
        }
    }
}

/// Figures of chat.
func benchmarkChat(_ report: inout Report) {
    report.add(
        "chat, action without effect", acting(Array(repeating: .chat(.bannerDismissed), count: 10_000)),
        beside: ("bare reducer, action", Bare.action()),
        limits: [.nanoseconds(200, yardstick: 10.5), .allocations(0)])
    report.add(
        "chat, action through the root", acting(Array(repeating: .chat(.bannerDismissed), count: 10_000)),
        beside: ("chat's reducer alone", actingAlone(Array(repeating: .bannerDismissed, count: 10_000))),
        limits: [.ratio(3), .allocations(0)])
    report.add(
        "chat, key typed",
        acting((0..<1_000).map { number in .chat(.draftEdited(ExactText("Hello \(number)"))) }),
        beside: ("bare reducer, action", Bare.action()), limits: [.nanoseconds(1_000, yardstick: 10.5)])
    for count in [0, 1_000, 10_000, 100_000] {
        report.add(
            "chat, token at once, \(count) messages", tokens(count, apart: .zero, isHeld: false),
            beside: ("bare reducer, token", Bare.token(messages: count)), limits: [.ratio(5)])
        // No limit: with its batch a token has an eighth of two more actions and of a timer, and the yardstick,
        // which shows nothing, has not.
        report.add(
            "chat, token, \(count) messages", tokens(count, isHeld: false),
            beside: ("bare reducer, token", Bare.token(messages: count)))
        report.add(
            "chat, token, \(count) messages, held", tokens(count, isHeld: true),
            beside: Bare.tokenOfTenThousand, limits: [.nanoseconds(2_000, yardstick: 38)])
    }
    for isLookedAt in [true, false] {
        report.add(
            "chat, token at once, of two, \(isLookedAt ? "" : "not ")looked at",
            tokens(1_000, apart: .zero, isHeld: false, ofTwoLookedAt: isLookedAt),
            beside: ("bare reducer, token", Bare.token(messages: 1_000)), limits: [.ratio(5)])
    }
    for count in [1, 1_000, 10_000, 100_000] {
        report.add(
            "chat, update, \(count) messages", updates(count, isHeld: false),
            beside: ("bare reducer, rewrite", Bare.rewrite(messages: count)), limits: [.ratio(3)])
        report.add(
            "chat, update, \(count) messages, held", updates(count, isHeld: true),
            beside: Bare.rewriteOfTenThousand,
            limits: [.nanoseconds(count > 10_000 ? 5_000 : 2_000, yardstick: 227)])
    }
}
