// The parts of the normal form of chat: minted names, and times that are measured from now, tell no states apart.

import Testing

@testable import ChatDomain

@Suite("Core: the normal forms of parts of chat")
struct NormalPartTests {
    private typealias Device = Driver<Chat>

    private func normal<Part: Normalizable>(_ part: Part, at moment: Moment) -> Part {
        var form = NormalForm(moment: moment, horizon: .minutes(60))
        return form.normal(part)
    }

    /// The normal form of a part of the state after the same actions, with other minted names.
    private func normals<Part: Normalizable>(
        _ part: (Chat.State) -> Part, after act: (inout Driver<Chat>) -> Void
    ) -> [Part] {
        [UInt64(1), 2].map { seed in
            var driver = Device.connected(seed: seed)
            act(&driver)
            return normal(part(driver.state), at: driver.context.moment)
        }
    }

    @Test("C19, L2: lists of conversations are alike whose conversations were created under other names")
    func lists() {
        let lists = normals({ $0.shared.list }, after: { $0.create("Work") })
        #expect(lists[0] == lists[1] && lists[0].entries.count == 2)
    }

    @Test("C8, L2: outboxes are alike whose messages handed over, in flight and behind have other keys")
    func outboxes() {
        let outboxes = normals({ $0.conversation.outbox }) { driver in
            driver.sayDurably("one")
            driver.hear(.acknowledged(driver.saidIDs[0]))
            driver.say("two")
            driver.answerOutbox(with: .saved)
            driver.say("three")
        }
        #expect(outboxes[0] == outboxes[1] && outboxes[0].count == 2)
        #expect(outboxes[0].handedOver.count == 1)
    }

    @Test("C3, L2: connections are alike that the server has told to wait for as long from now")
    func waits() {
        let refusal = CallEnd.refused(status: 503, retryAfter: .minutes(10), message: "")
        let connections = ([0, 7] as [Int64]).map { pause -> Chat.Connection? in
            var driver = Device.connecting()
            driver.context.moment = driver.context.moment + .seconds(pause)
            driver.lose(refusal)
            guard case .socket(let connection) = driver.state.shared.carrier else { return nil }
            return normal(connection.wrappedValue, at: driver.context.moment)
        }
        #expect(connections[0] == connections[1] && connections[0]?.phase.isFailed == true)
    }
}
