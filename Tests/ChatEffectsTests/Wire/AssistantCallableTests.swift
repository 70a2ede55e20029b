import ChatDomain
@testable import ChatEffects
import Testing

@Suite("The assistant as a callable function: answers")
struct AssistantCallableTests {
    private func hear(_ status: Int64, _ body: String, headers: [Header] = []) -> Reaction<ChatApp.Event> {
        let backend = ClawlineBackend()
        let request = Assistant.Request.ask("Why?", conversation: nil, user: "kay", secret: SecretHandle("s"))
        var progress = backend.open(.assistant(request)).progress
        var reaction = Reaction<ChatApp.Event>()
        for arrival in [
            .head(status: status, headers: headers), .body(Array(body.utf8)), .ended(.completed),
        ] as [Arrival] {
            backend.receive(arrival, progress: &progress, reaction: &reaction)
        }
        return reaction
    }

    @Test(
        "A6: a word of the convention counts whatever the status says",
        arguments: [
            ("UNAUTHENTICATED", .unauthenticated), ("DEADLINE_EXCEEDED", .deadlineExceeded),
            ("RESOURCE_EXHAUSTED", .exhausted(retryAfter: .seconds(7))),
            ("UNAVAILABLE", .unavailable), ("INTERNAL", .unavailable),
            ("PERMISSION_DENIED", .other("no")), ("INVALID_ARGUMENT", .other("no")),
        ] as [(String, AssistantRefusal)])
    func words(_ word: String, _ rejection: AssistantRefusal) {
        for status in [200, 403, 500] as [Int64] {
            let heard = hear(
                status, #"{"error":{"status":"\#(word)","message":"no"}}"#,
                headers: [Header("retry-after", "7")])
            #expect(heard.events == [.assistant(.failed(rejection))] && heard.end == nil)
        }
    }

    @Test(
        "A6, A8: a body without a word of the convention leaves it to the status, with its wait and sentence",
        arguments: [
            (#"{"error":{"message":"no"}}"#, "no"),
            (#"{"error":{"status":"DATA_LOSS","message":"no"}}"#, "no"),
            (#"{"error":{"status":5,"message":"no"}}"#, "no"), (#"{"error":"no"}"#, "no"),
            (#"{"result":{"success":false,"message":"no"}}"#, "no"), ("{}", ""), ("<html>", ""), ("", ""),
        ] as [(String, ExactText)])
    func statuses(_ body: String, _ sentence: ExactText) {
        for status in [400, 401, 408, 429, 500, 503, 599] as [Int64] {
            let heard = hear(status, body, headers: [Header("retry-after", "7")])
            #expect(heard.events.isEmpty)
            #expect(
                heard.end == .refused(status: status, retryAfter: .seconds(7), message: sentence),
                "\(status)")
        }
    }

    @Test("A5, A6: an error in a success is shown in the server's words")
    func errorInSuccess() {
        for body in [
            #"{"error":{"message":"no"}}"#, #"{"error":{"status":"DATA_LOSS","message":"no"}}"#,
            #"{"result":{"success":false,"error":"no"}}"#,
        ] {
            #expect(hear(200, body).events == [.assistant(.failed(.other("no")))])
        }
        #expect(hear(200, "{}").end == .failed(.malformed))
    }

    @Test("A5: a name that is none is not kept, and an answer that is the call of a function says so")
    func odd() {
        let unsaved = hear(
            200, #"{"result":{"success":true,"response":"Fine","conversationId":"error-saving"}}"#)
        #expect(
            unsaved.events == [.assistant(.answered("Fine", conversation: nil, time: nil, tokens: nil))])
        for response in [#""response":"","#, #""response":null,"#, ""] {
            let call = hear(200, #"{"result":{"success":true,\#(response)"functionCall":{"name":"remind"}}}"#)
            #expect(
                call.events == [
                    .assistant(.failed(.other("The answer is an action, which cannot be shown here.")))
                ] && call.end == nil)
        }
        #expect(hear(200, #"{"result":{"success":true,"functionCall":null}}"#).end == .failed(.malformed))
        let both = hear(
            200, #"{"result":{"success":true,"response":"Fine","functionCall":{"name":"remind"}}}"#)
        #expect(both.events == [.assistant(.answered("Fine", conversation: nil, time: nil, tokens: nil))])
    }

    @Test("A5: half a character in an answer does not lose the answer")
    func malformedText() {
        let heard = hear(200, #"{"result":{"success":true,"response":"Fine \ud83d","conversationId":"v"}}"#)
        let answer = Assistant.Event.answered("Fine \u{FFFD}", conversation: "v", time: nil, tokens: nil)
        #expect(heard.events == [.assistant(answer)] && heard.end == nil)
    }

    @Test(
        "A5: the time of an answer may be milliseconds or ISO 8601; what is no time is none",
        arguments: [
            ("1704672000000", 1_704_672_000_000), ("1704672000000.0", 1_704_672_000_000),
            ("1704672000000.5", 1_704_672_000_000), (#""2024-01-08T00:00:00Z""#, 1_704_672_000_000),
            (#""2024-01-08T00:00:00.250Z""#, 1_704_672_000_250), ("1e300", nil), ("1e400", nil),
            (#""soon""#, nil), ("null", nil),
        ] as [(String, Int64?)])
    func time(_ time: String, _ milliseconds: Int64?) {
        let body = #"{"result":{"response":"Fine","conversationId":"v","timestamp":\#(time),"tokensUsed":3}}"#
        let told = milliseconds.map { WallTime(millisecondsSince1970: $0) }
        let answer = Assistant.Event.answered("Fine", conversation: "v", time: told, tokens: 3)
        #expect(hear(200, body).events == [.assistant(answer)])
    }
}
