// The requests of model APIs: path, headers, key and body, and the answers that come whole.

import ChatDomain
import Testing

@testable import ChatEffects

@Suite("Model APIs: requests")
struct ModelRequestTests {
    private static let handle = SecretHandle("h")
    private static let question = Streaming.Question(
        conversation: "talk", client: "c", text: "And \"now\"?",
        earlier: [
            Streaming.PromptMessage(role: .user, text: "Hi"),
            Streaming.PromptMessage(role: .assistant, text: "Hello"),
            Streaming.PromptMessage(role: .system, text: "Ada has joined"),
        ])

    /// What is sent for the question.
    private struct Sent: Equatable {
        var path: ExactText
        var headers: [Header]
        var body: String
        var credential: SecretHandle?
    }

    private static func sent<API: ModelAPI>(_ api: API, _ server: ModelServer, whole: Bool = false) -> Sent {
        let request: Streaming.Request = whole ? .whole(question, handle) : .stream(question, handle)
        let exchange = ModelBackend(api, server).open(request).exchange
        guard case .http("POST", let path, let headers, let body, let credential) = exchange,
            case .bytes(let bytes)? = body.parts.first, body.parts.count == 1
        else { return Sent(path: "", headers: [], body: "") }
        return Sent(
            path: path, headers: headers, body: String(decoding: bytes, as: UTF8.self), credential: credential
        )
    }

    private static func headers(_ more: Header..., whole: Bool = false) -> [Header] {
        [
            Header("content-type", "application/json"),
            Header("accept", whole ? "application/json" : "text/event-stream"),
        ] + more
    }

    private static let server = ModelServer(
        path: "/v1", model: "m", instructions: "Be brief.", replyLimit: 99)

    @Test("C15: Chat Completions take the conversation as messages, and the cost is asked for")
    func openAIChat() {
        let start =
            #"{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},"#
            + #"{"role":"assistant","content":"Hello"},{"role":"user","content":"And \"now\"?"}],"max_tokens":99"#
        #expect(
            Self.sent(OpenAIChat(), Self.server)
                == Sent(
                    path: "/v1/chat/completions", headers: Self.headers(),
                    body: start + #","stream":true,"stream_options":{"include_usage":true}}"#,
                    credential: Self.handle))
        #expect(
            Self.sent(OpenAIChat(), Self.server, whole: true)
                == Sent(
                    path: "/v1/chat/completions", headers: Self.headers(whole: true), body: start + "}",
                    credential: Self.handle))
    }

    @Test("C15: a dialect of Chat Completions is sent nothing that its server refuses")
    func openAIChatDialects() {
        let server = ModelServer(path: "", model: "m", replyLimit: 9)
        for (dialect, end) in [
            (.usual, #""max_tokens":9,"stream":true,"stream_options":{"include_usage":true}}"#),
            (.openAI, #""max_completion_tokens":9,"stream":true,"stream_options":{"include_usage":true}}"#),
            (.mistral, #""max_tokens":9,"stream":true}"#),
        ] as [(OpenAIChat.Dialect, String)] {
            #expect(Self.sent(OpenAIChat(dialect), server).body.hasSuffix("}]," + end))
        }
    }

    @Test("C15: roles alternate: neighbours of one role are one message, and a system's message parts none")
    func neighbours() {
        let said = ["user a", "user a", "system c", "user d", "assistant e", "assistant f"].map {
            Streaming.PromptMessage(
                role: $0.hasPrefix("u") ? .user : $0.hasPrefix("s") ? .system : .assistant,
                text: ExactText(String($0.suffix(1))))
        }
        let question = Streaming.Question(conversation: "t", client: "c", text: "g", earlier: said)
        #expect(
            question.prompt == [
                Streaming.PromptMessage(role: .user, text: "a\n\na\n\nd"),
                Streaming.PromptMessage(role: .assistant, text: "e\n\nf"),
                Streaming.PromptMessage(role: .user, text: "g"),
            ])
    }

    @Test("A server that wants no key gets none, and what the app does not say is left out")
    func withoutKey() {
        #expect(
            Self.sent(OpenAIChat(), ModelServer(path: "", model: "m", key: .none), whole: true)
                == Sent(
                    path: "/chat/completions", headers: Self.headers(whole: true),
                    body: #"{"model":"m","messages":[{"role":"user","content":"Hi"},"#
                        + #"{"role":"assistant","content":"Hello"},{"role":"user","content":"And \"now\"?"}]}"#
                ))
    }

    @Test("C15: Responses take the conversation as input, and store nothing")
    func openAIResponses() {
        #expect(
            Self.sent(OpenAIResponses(), Self.server)
                == Sent(
                    path: "/v1/responses", headers: Self.headers(),
                    body: #"{"model":"m","instructions":"Be brief.","input":[{"role":"user","content":"Hi"},"#
                        + #"{"role":"assistant","content":"Hello"},{"role":"user","content":"And \"now\"?"}],"#
                        + #""max_output_tokens":99,"store":false,"stream":true}"#,
                    credential: Self.handle))
    }

    @Test("L10: a key with a header of its own is a placeholder until the driver fills it in")
    func anthropic() throws {
        var server = Self.server
        (server.key, server.replyLimit) = (.header("x-api-key"), nil)
        let sent = Self.sent(AnthropicMessages(), server)
        #expect(
            sent
                == Sent(
                    path: "/v1/messages",
                    headers: Self.headers(
                        Header("anthropic-version", "2023-06-01"), Header("x-api-key", "<secret>")),
                    body: #"{"model":"m","max_tokens":4096,"system":"Be brief.","messages":["#
                        + #"{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},"#
                        + #"{"role":"user","content":"And \"now\"?"}],"stream":true}"#,
                    credential: Self.handle))
        let exchange = ModelBackend(AnthropicMessages(), server).open(.stream(Self.question, Self.handle))
            .exchange
        let filled = try exchange.filled(
            secret: { $0 == Self.handle ? Secret("key-1") : nil }, record: { _ in nil })
        guard case .http(_, _, let headers, _, nil) = filled else {
            Issue.record("not filled: \(filled)")
            return
        }
        #expect(headers.last == Header("x-api-key", "key-1"))
        #expect(!headers.contains { $0.name == "authorization" })
        #expect(throws: MissingPart.secret) {
            try exchange.filled(secret: { _ in nil }, record: { _ in nil })
        }
    }

    @Test("C15: generateContent names the model in its path, and takes the conversation as contents")
    func google() {
        var server = Self.server
        (server.path, server.key) = ("/v1beta", .header("x-goog-api-key"))
        let sent = Self.sent(GoogleGenerateContent(), server)
        #expect(sent.path == "/v1beta/models/m:streamGenerateContent?alt=sse")
        #expect(
            sent.body == #"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":["#
                + #"{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"Hello"}]},"#
                + #"{"role":"user","parts":[{"text":"And \"now\"?"}]}],"generationConfig":{"maxOutputTokens":99}}"#
        )
        #expect(sent.headers.last == Header("x-goog-api-key", "<secret>"))
        server.model = "tunedModels/x"
        #expect(
            Self.sent(GoogleGenerateContent(), server, whole: true).path
                == "/v1beta/tunedModels/x:generateContent")
    }

    @Test("C15: the AI SDK takes the conversation as messages of parts")
    func aiSDK() {
        let sent = Self.sent(AISDKMessageStream(), ModelServer(path: "/api/chat", model: ""))
        #expect(sent.path == "/api/chat")
        #expect(
            sent.body
                == #"{"id":"talk","messages":[{"id":"0","role":"user","parts":[{"type":"text","text":"Hi"}]},"#
                + #"{"id":"1","role":"assistant","parts":[{"type":"text","text":"Hello"}]},"#
                + #"{"id":"2","role":"user","parts":[{"type":"text","text":"And \"now\"?"}]}],"#
                + #""trigger":"submit-message"}"#)
    }

    private static func whole<API: ModelAPI>(_ api: API, _ body: String) -> ([Streaming.Event], CallEnd?) {
        let backend = ModelBackend(api, server)
        var progress = backend.open(.whole(question, handle)).progress
        var reaction = Reaction<Streaming.Event>()
        for arrival in [.head(status: 200, headers: []), .body(Array(body.utf8)), .ended(.completed)]
            as [Arrival]
        where reaction.end == nil {
            backend.receive(arrival, progress: &progress, reaction: &reaction)
        }
        return (Array(reaction.events.dropFirst()), reaction.end)
    }

    @Test("S13: an answer that comes whole has text, id and cost; what is none is malformed")
    func wholeAnswers() {
        let chat = Self.whole(
            OpenAIChat(),
            #"{"id":"i","choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}"#
        )
        let responses = Self.whole(
            OpenAIResponses(),
            #"{"id":"i","output":[{"type":"reasoning"},{"type":"message","content":[{"type":"output_text","text":"a"}]}],"usage":{"input_tokens":1,"output_tokens":2}}"#
        )
        let anthropic = Self.whole(
            AnthropicMessages(),
            #"{"id":"i","content":[{"type":"thinking"},{"type":"text","text":"a"}],"usage":{"input_tokens":1,"output_tokens":2}}"#
        )
        let google = Self.whole(
            GoogleGenerateContent(),
            #"{"responseId":"i","candidates":[{"content":{"parts":[{"text":"no","thought":true},{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3}}"#
        )
        let expected = [Streaming.Event.whole("a", "i", Usage(prompt: 1, completion: 2, total: 3))]
        for answer in [chat, responses, anthropic, google] {
            #expect(answer.0 == expected && answer.1 == .completed)
        }
        let thoughts = Self.whole(
            GoogleGenerateContent(),
            #"{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":1,"thoughtsTokenCount":7,"totalTokenCount":8}}"#
        )
        #expect(thoughts.0 == [.whole("a", nil, Usage(prompt: 1, completion: 7, total: 8))])
        let remembered = Self.whole(
            AnthropicMessages(),
            #"{"content":[{"type":"text","text":"a"}],"usage":{"input_tokens":2,"cache_creation_input_tokens":3,"cache_read_input_tokens":4,"output_tokens":7}}"#
        )
        #expect(remembered.0 == [.whole("a", nil, Usage(prompt: 9, completion: 7, total: 16))])
        // Of several answers that of index 0 counts.
        let second = Self.whole(
            OpenAIChat(),
            #"{"choices":[{"index":1,"message":{"content":"x"}},{"index":0,"message":{"content":"a"}}]}"#)
        let unnumbered = Self.whole(
            GoogleGenerateContent(),
            #"{"candidates":[{"index":1,"finishReason":"SAFETY"},{"content":{"parts":[{"text":"a"}]}}]}"#)
        for answer in [second, unnumbered] {
            #expect(answer.0 == [.whole("a", nil, nil)] && answer.1 == .completed)
        }
        for body in ["", "{", "[]", "{}", #"{"choices":[],"output":1,"content":"a","candidates":{}}"#] {
            #expect(Self.whole(OpenAIChat(), body).1 == .failed(.malformed))
            #expect(Self.whole(OpenAIResponses(), body).1 == .failed(.malformed))
            #expect(Self.whole(AnthropicMessages(), body).1 == .failed(.malformed))
            #expect(Self.whole(GoogleGenerateContent(), body).1 == .failed(.malformed))
            #expect(Self.whole(AISDKMessageStream(), body).1 == .failed(.malformed))
        }
    }

    @Test("S13: a whole answer that waits for a tool is one when it says something, and has failed when not")
    func wholeTool() {
        func answered(_ text: String) -> [Streaming.Event] {
            Self.whole(
                OpenAIChat(),
                #"{"choices":[{"message":{"content":"\#(text)","tool_calls":[{}]},"finish_reason":"tool_calls"}]}"#
            ).0
        }
        #expect(answered("a") == [.whole("a", nil, nil)])
        let silent = answered(#"\n"#)
        guard silent.count == 1, case .failed = silent[0] else {
            Issue.record("\(silent)")
            return
        }
    }

    @Test("L8: a whole answer over 1 MiB is too large, except where it brings an image or repeats all")
    func wholeLimits() {
        let image = String(repeating: "x", count: 1_100_000)
        let google = Self.whole(
            GoogleGenerateContent(),
            #"{"candidates":[{"content":{"parts":[{"text":"a"},{"inlineData":{"data":"\#(image)"}}]}}]}"#)
        #expect(google.0 == [.whole("a", nil, nil)] && google.1 == .completed)
        let responses = Self.whole(
            OpenAIResponses(),
            #"{"output":[{"type":"image_generation_call","result":"\#(image)"},"#
                + #"{"type":"message","content":[{"type":"output_text","text":"a"}]}]}"#)
        #expect(responses.0 == [.whole("a", nil, nil)] && responses.1 == .completed)
        let chat = Self.whole(OpenAIChat(), #"{"choices":[{"message":{"content":"\#(image)"}}]}"#)
        #expect(chat.0.isEmpty && chat.1 == .failed(.tooLarge))
    }

    @Test("S5, S13: a whole answer that is not complete has its text, and then the reason")
    func wholeEnds() {
        func check<API: ModelAPI>(_ api: API, _ cases: [(body: String, text: ExactText?, reason: ExactText)])
        {
            for (body, text, reason) in cases {
                let answer = Self.whole(api, body)
                let events = (text.map { [Streaming.Event.token($0)] } ?? []) + [.failed(reason)]
                #expect(answer.0 == events && answer.1 == .completed, "\(body)")
            }
        }
        let cut = ReplyFacts.cutSentence
        let early = ReplyFacts.earlySentence("later")
        check(
            OpenAIChat(),
            [
                (#"{"choices":[{"message":{"content":"a"},"finish_reason":"length"}]}"#, "a", cut),
                (#"{"choices":[{"message":{"content":"a"},"finish_reason":"later"}]}"#, "a", early),
                (
                    #"{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]}"#,
                    nil,
                    "No."
                ),
                (
                    #"{"choices":[{"message":{"content":null},"finish_reason":"tool_calls"}]}"#, nil,
                    ReplyFacts.toolSentence
                ),
                (#"{"error":{"message":"Overloaded","code":502}}"#, nil, "Overloaded"),
            ])
        check(
            AnthropicMessages(),
            [
                (#"{"content":[{"type":"text","text":"a"}],"stop_reason":"max_tokens"}"#, "a", cut),
                (
                    #"{"content":[{"type":"tool_use"}],"stop_reason":"tool_use"}"#, nil,
                    ReplyFacts.toolSentence
                ),
                (#"{"type":"error","error":{"type":"overloaded_error","message":"Oh."}}"#, nil, "Oh."),
            ])
        let message = #"{"type":"message","content":[{"type":"output_text","text":"a"}]}"#
        check(
            OpenAIResponses(),
            [
                (
                    #"{"output":[\#(message)],"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}"#,
                    "a", cut
                ),
                (#"{"output":[\#(message)],"status":"later"}"#, "a", early),
                (#"{"output":[],"status":"failed","error":{"message":"Oh."}}"#, nil, "Oh."),
                (
                    #"{"output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}],"status":"completed"}"#,
                    nil, "No."
                ),
                (
                    #"{"output":[{"type":"function_call"}],"status":"completed"}"#, nil,
                    ReplyFacts.toolSentence
                ),
            ])
        check(
            GoogleGenerateContent(),
            [
                (
                    #"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"MAX_TOKENS"}]}"#,
                    "a",
                    cut
                ),
                (
                    #"{"promptFeedback":{"blockReason":"SAFETY"}}"#, nil,
                    ReplyFacts.withheldSentence("SAFETY")
                ),
                (
                    #"{"candidates":[{"content":{"parts":[{"functionCall":{}}]},"finishReason":"STOP"}]}"#,
                    nil,
                    ReplyFacts.toolSentence
                ),
            ])
    }
}
