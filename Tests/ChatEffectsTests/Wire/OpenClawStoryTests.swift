// Replies of an OpenClaw gateway in the whole machine: each stands at the question that its run names, whatever other
// runs of the session say meanwhile.

import ChatDomain
import Testing

@testable import ChatEffects

@Suite("OpenClaw gateway: each reply is that to its own question")
struct OpenClawStoryTests {
    private typealias GatewayLoop = VirtualLoop<ChatCarriages<OpenClawLink, NoCarriage>, ProviderWire>

    // MARK: The gateway

    private static func connected() -> GatewayLoop {
        let configuration = Chat.Configuration.openClaw
        let secret = SecretHandle("key")
        let machine = Machine(
            Chat(configuration: configuration), state: Chat.State(configuration: configuration),
            backend: ChatCarriages(link: OpenClawLink()), moment: Stage.moment(0), entropy: .seeded(3))
        var store = MemoryStore()
        _ = store.carryOut(.save(StorageTicket(0), .secret(secret), .secret(Secret("t"))))
        var loop = GatewayLoop(machine, store: store, server: ProviderWire())
        loop.send(.signedIn(Account(user: "u", secret: secret, device: "d")))
        loop.send(.shown)
        loop.advance(by: .zero)
        hear(
            &loop, #"{"type":"event","event":"connect.challenge","payload":{"nonce":"n","ts":1000000000}}"#,
            #"{"type":"res","id":"r-1","ok":true,"payload":{"type":"hello-ok","protocol":3}}"#)
        return loop
    }

    private static func hear(_ loop: inout GatewayLoop, _ frames: String...) {
        for frame in frames {
            loop.server.say(frame)
            loop.advance(by: .zero)
        }
    }

    private static func requests(_ loop: GatewayLoop, _ method: ExactText) -> [JSONValue] {
        loop.server.frames("req").map { $0.json }.filter { $0["method"]?.string == method }
    }

    private static func answer(_ loop: inout GatewayLoop, _ request: JSONValue?, _ payload: String) {
        let id = request?["id"]?.string?.string ?? ""
        hear(&loop, #"{"type":"res","id":"\#(id)","ok":true,"payload":\#(payload)}"#)
    }

    /// The gateway accepts the newest question.
    private static func accept(_ loop: inout GatewayLoop, _ key: String) {
        answer(&loop, requests(loop, "chat.send").last, #"{"runId":"\#(key)","status":"started"}"#)
    }

    /// The person asks. Returns the key of the question.
    private static func ask(_ loop: inout GatewayLoop, _ text: ExactText, isAccepted: Bool = true) -> String {
        loop.send(.draftEdited(text))
        loop.send(.sent)
        loop.advance(by: .seconds(1))
        let key = requests(loop, "chat.send").last?["params"]?["idempotencyKey"]?.string?.string ?? ""
        if isAccepted { accept(&loop, key) }
        return key
    }

    private static func chat(_ run: String, _ state: String, _ text: String? = nil, place: Int? = nil)
        -> String
    {
        let seq = place.map { #""seq":\#($0),"# } ?? ""
        let message = text.map {
            #","message":{"role":"assistant","content":[{"type":"text","text":"\#($0)"}]}"#
        }
        let error = state == "error" ? #","errorMessage":"provider failed""# : ""
        return #"{"type":"event","event":"chat",\#(seq)"payload":{"runId":"\#(run)","sessionKey":"main","#
            + #""state":"\#(state)"\#(message ?? "")\#(error)}}"#
    }

    private static func history(_ messages: (role: String, text: String)...) -> String {
        let list = messages.map { #"{"role":"\#($0.role)","content":"\#($0.text)"}"# }
        return #"{"messages":[\#(list.joined(separator: ","))]}"#
    }

    /// The rows in the order of their texts; ✓ is delivered, and ↻ offers a retry.
    private static func rows(_ loop: GatewayLoop) -> [String] {
        Chat.rows(loop.state, newest: 100, .neutral).map { row in
            (row.role == .user ? "me: " : "server: ") + row.text.string + (row.isGrowing ? "…" : "")
                + (row.note.map { " (\($0.string))" } ?? "") + (row.status == .delivered ? " ✓" : "")
                + (row.offer == .retry ? " ↻" : "")
        }.sorted()
    }

    /// Ticks keep the connection, and the time of a wait passes.
    private static func wait(_ loop: inout GatewayLoop) {
        for _ in 0..<5 {
            loop.advance(by: .seconds(25))
            hear(&loop, #"{"type":"event","event":"tick","payload":{}}"#)
        }
    }

    // MARK: Other runs of the session

    @Test("C12, C10: a question fails by its own run, whatever another run has said before")
    func failsBehindOther() {
        var loop = Self.connected()
        let key = Self.ask(&loop, "hi")
        Self.hear(&loop, Self.chat("other", "final", "Other"))
        #expect(Self.rows(loop) == ["me: hi", "server: Other"])
        var silent = loop
        Self.hear(&loop, Self.chat(key, "error"))
        #expect(Self.rows(loop) == ["me: hi (provider failed) ↻", "server: Other"])
        Self.wait(&silent)
        #expect(Self.rows(silent) == ["me: hi (\(Wording.neutral.noReply.string)) ↻", "server: Other"])
    }

    @Test("S5: a reply that grows behind another run's fails at once, with the server's words and a retry")
    func partialFailsBehindOther() {
        var loop = Self.connected()
        let key = Self.ask(&loop, "hi")
        Self.hear(
            &loop, Self.chat("other", "final", "Other"), Self.chat(key, "delta", "Mi"),
            Self.chat(key, "error"))
        #expect(
            Self.rows(loop) == ["me: hi ✓", "server: Mi (provider failed) ↻", "server: Other"])
    }

    @Test("S6, C12: a failed run of another client offers no retry, and takes no question")
    func otherFails() {
        var loop = Self.connected()
        let key = Self.ask(&loop, "hi")
        Self.hear(
            &loop, Self.chat("other", "delta", "Oth"), Self.chat(key, "final", "Mine"),
            Self.chat("other", "error"))
        Self.wait(&loop)
        let rows = Self.rows(loop)
        #expect(rows.count == 3 && rows.contains("me: hi ✓") && rows.contains("server: Mine"), "\(rows)")
        #expect(!rows.contains { $0.contains("↻") }, "\(rows)")
    }

    @Test(
        "C12: a question that is answered before an earlier one has its answer, and the earlier one its failure"
    )
    func commandBefore() {
        var loop = Self.connected()
        let first = Self.ask(&loop, "hi")
        let second = Self.ask(&loop, "/status")
        Self.hear(&loop, Self.chat(second, "final", "Status fine"))
        #expect(Self.rows(loop) == ["me: /status ✓", "me: hi", "server: Status fine"])
        Self.hear(&loop, Self.chat(first, "error"))
        #expect(
            Self.rows(loop) == ["me: /status ✓", "me: hi (provider failed) ↻", "server: Status fine"])
    }

    @Test("S6: the retry of a reply asks the question that its run names")
    func retries() throws {
        var loop = Self.connected()
        let first = Self.ask(&loop, "hi")
        let second = Self.ask(&loop, "second")
        Self.hear(
            &loop, Self.chat(second, "final", "A2"), Self.chat(first, "delta", "A1 part"),
            Self.chat(first, "error"))
        #expect(
            Self.rows(loop) == [
                "me: hi ✓", "me: second ✓", "server: A1 part (provider failed) ↻", "server: A2",
            ])
        let row = try #require(Chat.rows(loop.state, newest: 100, .neutral).first { $0.offer == .retry })
        loop.send(.retried(row.id))
        loop.advance(by: .seconds(1))
        let sent = Self.requests(loop, "chat.send")
        #expect(sent.count == 3 && sent.last?["params"]?["message"]?.string == "hi")
        #expect(sent.last?["params"]?["idempotencyKey"]?.string?.string != first)
    }

    @Test("C12: a question without an answer takes none that names another question")
    func laterIsLost() {
        var loop = Self.connected()
        let first = Self.ask(&loop, "hi")
        _ = Self.ask(&loop, "second")
        Self.hear(&loop, Self.chat(first, "final", "A1"))
        Self.wait(&loop)
        #expect(
            Self.rows(loop) == [
                "me: hi ✓", "me: second (\(Wording.neutral.noReply.string)) ↻", "server: A1",
            ])
    }

    @Test("C12: a question that a busy gateway has queued is answered by the run that follows")
    func queued() {
        var loop = Self.connected()
        let first = Self.ask(&loop, "hi")
        let second = Self.ask(&loop, "second")
        Self.hear(
            &loop, Self.chat(second, "final"), Self.chat(first, "final", "A1"),
            Self.chat("next", "final", "A2"))
        Self.wait(&loop)
        #expect(Self.rows(loop) == ["me: hi ✓", "me: second ✓", "server: A1", "server: A2"])
    }

    @Test("C1: a lost tick ends no connection on which a reply grows")
    func lostTick() {
        var loop = Self.connected()
        let key = Self.ask(&loop, "hi")
        Self.hear(&loop, #"{"type":"event","event":"tick","seq":1,"payload":{}}"#)
        for place in 3...8 {
            loop.advance(by: .seconds(10))
            Self.hear(&loop, Self.chat(key, "delta", "Answer \(place)", place: place))
        }
        Self.hear(&loop, Self.chat(key, "final", "Answer 9", place: 9))
        #expect(Self.rows(loop) == ["me: hi ✓", "server: Answer 9"])
        #expect(loop.server.connections == 1)
    }

    // MARK: Histories

    /// The gateway answers the newest request for a history.
    private static func tell(_ loop: inout GatewayLoop, _ history: String) {
        answer(&loop, requests(loop, "chat.history").last, history)
    }

    @Test("C16: a reply that was whole before its acknowledgement is overwritten by no history")
    func wholeBeforeAcknowledged() {
        var loop = Self.connected()
        let first = Self.ask(&loop, "hi", isAccepted: false)
        Self.hear(&loop, Self.chat(first, "final", "Answer 1", place: 1))
        Self.accept(&loop, first)
        let second = Self.ask(&loop, "two")
        Self.hear(&loop, Self.chat(second, "final", "Answer 2", place: 3))
        #expect(Self.requests(loop, "chat.history").count == 1)
        Self.tell(
            &loop,
            Self.history(
                ("user", "hi"), ("assistant", "Answer 1"), ("user", "two"), ("assistant", "Answer 2")))
        #expect(Self.rows(loop) == ["me: hi ✓", "me: two ✓", "server: Answer 1", "server: Answer 2"])
    }

    @Test("C16, C5: a lost end is completed by the answer to its own question", arguments: [nil, "Answer "])
    func lostEnd(beginning: String?) {
        var loop = Self.connected()
        let first = Self.ask(&loop, "hi")
        let second = Self.ask(&loop, "two")
        Self.hear(
            &loop,
            beginning.map { Self.chat(first, "delta", $0, place: 1) }
                ?? #"{"type":"event","event":"tick","seq":1,"payload":{}}"#,
            Self.chat(second, "final", "Answer 2", place: 3))
        Self.tell(
            &loop,
            Self.history(
                ("user", "hi"), ("assistant", "Answer 1"), ("user", "two"), ("assistant", "Answer 2")))
        #expect(Self.rows(loop) == ["me: hi ✓", "me: two ✓", "server: Answer 1", "server: Answer 2"])
    }

    @Test(
        "C5, C12: a reply without its last words is completed although the next question is in the history too",
        arguments: [true, false], [nil, "Ans"])
    func lostEndBeforeNext(isEndTold: Bool, next: String?) {
        var loop = Self.connected()
        let first = Self.ask(&loop, "hi")
        let second = Self.ask(&loop, "two")
        Self.hear(&loop, Self.chat(first, "delta", "Answer", place: 1))
        if isEndTold { Self.hear(&loop, Self.chat(first, "final", place: 2)) }
        Self.hear(&loop, Self.chat(second, "delta", next, place: 3))
        #expect(Self.requests(loop, "chat.history").count == 1)
        Self.tell(
            &loop,
            Self.history(("user", "hi"), ("assistant", "Answer 1"), ("user", "two")))
        Self.hear(&loop, Self.chat(second, "final", "Answer 2", place: 4))
        #expect(Self.rows(loop) == ["me: hi ✓", "me: two ✓", "server: Answer 1", "server: Answer 2"])
    }

    @Test("C16, L6: the answer to a reply that ended with a gap is not given to the next question")
    func endedWithGap() {
        var loop = Self.connected()
        let first = Self.ask(&loop, "hi")
        let second = Self.ask(&loop, "two")
        Self.hear(
            &loop, Self.chat(first, "delta", "Answer", place: 1), Self.chat(first, "final", place: 3))
        let requests = Self.requests(loop, "chat.history")
        #expect(requests.count == 2, "one for its last words, one for the gap")
        for request in requests.reversed() {
            Self.answer(&loop, request, Self.history(("user", "hi"), ("assistant", "Answer 1")))
        }
        #expect(Self.rows(loop) == ["me: hi ✓", "me: two", "server: Answer 1"])
        Self.hear(&loop, Self.chat(second, "final", "Answer 2", place: 4))
        #expect(Self.rows(loop) == ["me: hi ✓", "me: two ✓", "server: Answer 1", "server: Answer 2"])
    }

    @Test(
        "C16, C12: an answer that a history has told once is not that of the next question, whose failure is told"
    )
    func toldOnce() {
        var loop = Self.connected()
        let first = Self.ask(&loop, "hi")
        Self.hear(&loop, Self.chat(first, "final", place: 1))
        let second = Self.ask(&loop, "two")
        let history = Self.history(("user", "hi"), ("assistant", "Answer 1"))
        Self.tell(&loop, history)
        #expect(Self.rows(loop) == ["me: hi ✓", "me: two", "server: Answer 1"])
        Self.hear(&loop, #"{"type":"event","event":"tick","seq":3,"payload":{}}"#)
        #expect(Self.requests(loop, "chat.history").count == 2)
        Self.tell(&loop, history)
        #expect(Self.rows(loop) == ["me: hi ✓", "me: two", "server: Answer 1"])
        Self.hear(&loop, Self.chat(second, "error"))
        #expect(Self.rows(loop) == ["me: hi ✓", "me: two (provider failed) ↻", "server: Answer 1"])
    }
}
