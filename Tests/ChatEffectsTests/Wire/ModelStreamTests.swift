// The streams of model APIs, from bytes to what a person sees: text, cost, the reason of an end, and what is skipped.

import ChatDomain
import ChatEffects
import ChatTesting
import TestVolume
import Testing

/// A stream of events with these data.
private func stream(_ data: String...) -> String { data.map { "data: \($0)\n\n" }.joined() }

/// A whole stream and what comes of it.
private struct Sample: Sendable, CustomTestStringConvertible {
    let format: ReplyFormat
    let name: String
    let bytes: String
    let text: ExactText
    var outcome = DecodedReply.Outcome.finished
    var reason: ExactText?
    var id: MessageID?
    var usage: Usage?
    var skipped: UInt64 = 0

    var testDescription: String { "\(format.rawValue): \(name)" }
}

private let filtered: ExactText =
    "The model's provider withheld the answer (content filter). Ask in another way."
private let cut: ExactText = "The answer reached the model's length limit and ends here."
private func endedEarly(_ reason: String) -> ExactText {
    ExactText("The answer ended early (\(reason)). Please try again.")
}
private let tool: ExactText = "The model asked for a tool, and this app has none. Ask in another way."
private let empty: ExactText = "the reply is complete and has no text"
private let early: ExactText = "the stream ended before the reply was complete"

private let openAI: [Sample] = [
    Sample(
        format: .openAI, name: "text, cost and id, beside reasoning that is not shown",
        bytes: stream(
            #"{"id":"","choices":[],"prompt_filter_results":[{}]}"#,
            #"{"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":null}"#,
            #"{"id":"c1","choices":[{"delta":{"reasoning_content":"Hm","content":null},"finish_reason":null}]}"#,
            #"{"id":"c1","choices":[{"delta":{"reasoning":"Well"}}]}"#,
            #"{"id":"c1","choices":[{"delta":{"content":"Hé \ud83d\ude00"}}]}"#,
            #"{"choices":[{"finish_reason":"stop","delta":{"content":"!"}}]}"#,
            #"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2.0,"total_tokens":9}}"#,
            "[DONE]",
            #"{"choices":[{"delta":{"content":"late"}}]}"#),
        text: "Hé 😀!", id: "c1", usage: Usage(prompt: 3, completion: 2, total: 9)),
    Sample(
        format: .openAI, name: "text, refusal and end of a further choice, which is another answer",
        bytes: stream(
            #"{"id":"c1","choices":[{"index":0,"delta":{"content":"a"}}]}"#,
            #"{"id":"c1","choices":[{"index":1,"delta":{"content":"x"}}]}"#,
            #"{"id":"c1","choices":[{"index":1,"delta":{"refusal":"No."},"finish_reason":"length"}]}"#,
            #"{"id":"c1","choices":[{"index":0.0,"delta":{"content":"b"},"finish_reason":"stop"}]}"#,
            #"{"choices":[{"index":2,"delta":{"content":"y"}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#,
            "[DONE]"), text: "ab", id: "c1", usage: Usage(prompt: 3, completion: 2, total: 5)),
    Sample(
        format: .openAI, name: "choices of one event in another order",
        bytes: stream(
            #"{"id":"c1","choices":[{"index":1,"delta":{"content":"x"}},{"index":0,"delta":{"content":"a"}}]}"#,
            #"{"choices":[{"index":1,"finish_reason":"length"},{"delta":{"content":[{"type":"text","text":"b"}]}}]}"#,
            #"{"choices":[{"index":2},{"index":1},{"index":0,"delta":{},"finish_reason":"stop"}]}"#, "[DONE]"),
        text: "ab", id: "c1"),
    Sample(
        format: .openAI, name: "a refusal behind a further choice",
        bytes: stream(
            #"{"choices":[{"index":1,"delta":{"content":"x"}},{"index":0,"delta":{"refusal":"No."}}]}"#,
            "[DONE]"), text: "", outcome: .failed, reason: "No."),
    Sample(
        format: .openAI, name: "a content of parts",
        bytes: stream(
            #"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]}}]}"#,
            #"{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"image"}]}}]}"#,
            "[DONE]"), text: "aab"),
    Sample(
        format: .openAI, name: "no [DONE] behind a finish reason, and no last empty line",
        bytes: stream(#"{"choices":[{"delta":{"content":"a"}}]}"#)
            + #"data: {"choices":[{"delta":{},"finish_reason":"stop"}]}"#, text: "a"),
    Sample(
        format: .openAI, name: "an end without a finish reason",
        bytes: stream(#"{"choices":[{"delta":{"content":"a"}}]}"#), text: "a", outcome: .interrupted,
        reason: early),
    Sample(
        format: .openAI, name: "[DONE] without text", bytes: stream("[DONE]"), text: "", outcome: .failed,
        reason: empty),
    Sample(
        format: .openAI, name: "a call of a tool alone",
        bytes: stream(
            #"{"choices":[{"delta":{"tool_calls":[{}]},"finish_reason":"tool_calls"}]}"#, "[DONE]"),
        text: "", outcome: .failed, reason: tool),
    Sample(
        format: .openAI, name: "a call of a tool behind white space alone",
        bytes: stream(
            #"{"choices":[{"delta":{"content":"\n\n"}}]}"#,
            #"{"choices":[{"delta":{"tool_calls":[{}]},"finish_reason":"tool_calls"}]}"#, "[DONE]"),
        text: "\n\n", outcome: .interrupted, reason: tool),
    Sample(
        format: .openAI, name: "a cut at the limit",
        bytes: stream(#"{"choices":[{"delta":{"content":"a"},"finish_reason":"length"}]}"#, "[DONE]"),
        text: "a", outcome: .interrupted, reason: cut),
    Sample(
        format: .openAI, name: "a filtered answer",
        bytes: stream(
            #"{"choices":[{"delta":{"content":"a"},"finish_reason":"content_filter"}]}"#, "[DONE]"),
        text: "a", outcome: .interrupted, reason: filtered),
    Sample(
        format: .openAI, name: "an answer that is filtered behind its end",
        bytes: stream(
            #"{"choices":[{"delta":{"content":"a"},"finish_reason":null}]}"#,
            #"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
            #"{"id":"","choices":[{"index":0,"finish_reason":"content_filter","content_filter_results":{}}]}"#,
            #"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, "[DONE]"), text: "a",
        outcome: .interrupted, reason: filtered),
    Sample(
        format: .openAI, name: "the model declines in its own words",
        bytes: stream(
            #"{"choices":[{"delta":{"refusal":""}}]}"#, #"{"choices":[{"delta":{"refusal":"I can"}}]}"#,
            #"{"choices":[{"delta":{"refusal":"not."},"finish_reason":"stop"}]}"#,
            #"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#, "[DONE]"),
        text: "", outcome: .failed, reason: "I cannot."),
    Sample(
        format: .openAI, name: "an error inside the stream",
        bytes: stream(
            #"{"choices":[{"delta":{"content":"a"}}]}"#,
            #"{"error":{"message":"Overloaded","code":500}}"#,
            "[DONE]"), text: "a", outcome: .interrupted, reason: "Overloaded"),
    Sample(
        format: .openAI, name: "an error that is a sentence",
        bytes: stream(#"{"error":"no such model"}"#),
        text: "", outcome: .failed, reason: "no such model"),
    Sample(
        format: .openAI, name: "what is unknown or malformed",
        bytes: stream(
            "{", "[]", "1", #"{"x":1}"#, #"{"choices":7}"#, #"{"choices":[[1]],"usage":[1]}"#,
            #"{"error":null,"choices":[{"delta":{"content":7}}]}"#,
            #"{"choices":[{"delta":{"content":"a"}}]}"#,
            "[DONE]"), text: "a", outcome: .interrupted, reason: endedEarly("no reason given"), skipped: 4
    ),
    Sample(
        format: .openAI, name: "what is unknown, and a reason",
        bytes: stream(
            #"{"x":1}"#, #"{"choices":[{"delta":{"content":"a"},"finish_reason":""}]}"#,
            #"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, #"{"x":1}"#, "[DONE]"), text: "a",
        skipped: 2),
    Sample(
        format: .openAI, name: "an error without a member of that name",
        bytes: stream(
            #"{"choices":[{"delta":{"content":"a"},"finish_reason":null}]}"#,
            #"{"object":"error","message":"Too long.","code":400}"#, "[DONE]"), text: "a",
        outcome: .interrupted, reason: "Too long."),
    Sample(
        format: .openAI, name: "an error in a line that is no event",
        bytes: "error: {\"code\":400,\"message\":\"too long\"}\n\n" + stream("[DONE]"), text: "",
        outcome: .failed, reason: "too long"),
    Sample(
        format: .openAI, name: "the same within the text",
        bytes: stream(#"{"choices":[{"delta":{"content":"a"},"finish_reason":null}]}"#)
            + "error:{\"message\":\"The context is full.\"}\r\n\r\n" + stream("[DONE]"), text: "a",
        outcome: .interrupted, reason: "The context is full."),
    Sample(
        format: .openAI, name: "an event of the type error",
        bytes: stream(#"{"choices":[{"delta":{"content":"a"}}]}"#) + "event: error\n"
            + stream(#"{"message":"Oh."}"#, "[DONE]"), text: "a", outcome: .interrupted, reason: "Oh."),
    Sample(
        format: .openAI, name: "a line of the name error alone, behind text",
        bytes: stream(#"{"choices":[{"delta":{"content":"a"}}]}"#) + "error\n\n" + stream("[DONE]"),
        text: "a",
        outcome: .interrupted, reason: endedEarly("no reason given"), skipped: 1),
    Sample(
        format: .openAI, name: "a call of a tool of the server's own, and an answer behind it that is cut",
        bytes: stream(
            #"{"choices":[{"delta":{"content":"a"}}]}"#,
            #"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
            #"{"choices":[{"delta":{"content":"b"}}]}"#,
            #"{"choices":[{"delta":{},"finish_reason":"length"}]}"#, "[DONE]"), text: "ab",
        outcome: .interrupted, reason: cut),
    Sample(
        format: .openAI, name: "a call of a tool of the server's own, and an answer behind it without an end",
        bytes: stream(
            #"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
            #"{"choices":[{"delta":{"content":"b"}}]}"#), text: "b", outcome: .interrupted, reason: early),
    Sample(
        format: .openAI, name: "text behind a cut at the limit, which stays one",
        bytes: stream(
            #"{"choices":[{"delta":{"content":"a"},"finish_reason":"length"}]}"#,
            #"{"choices":[{"delta":{"content":"b"}}]}"#, "[DONE]"), text: "ab", outcome: .interrupted,
        reason: cut),
    Sample(
        format: .openAI, name: "the context is full",
        bytes: stream(
            #"{"choices":[{"delta":{"content":"a"},"finish_reason":"model_length"}]}"#, "[DONE]"),
        text: "a",
        outcome: .interrupted, reason: cut),
    Sample(
        format: .openAI, name: "a failing reason without text",
        bytes: stream(#"{"choices":[{"delta":{},"finish_reason":"error"}]}"#, "[DONE]"), text: "",
        outcome: .failed, reason: endedEarly("error")),
]

/// Reasons that are no good ends, and those that nobody knows.
private let badEndings: [Sample] = ["insufficient_system_resource", "error", "abort", "later"].map { reason in
    Sample(
        format: .openAI, name: "the reason \(reason)",
        bytes: stream(
            #"{"choices":[{"delta":{"content":"a"},"finish_reason":"\#(reason)"}]}"#, "[DONE]"), text: "a",
        outcome: .interrupted, reason: endedEarly(reason))
}

private let responses: [Sample] = [
    Sample(
        format: .openAIResponses, name: "text, cost and id, beside reasoning that is not shown",
        bytes: stream(
            #"{"type":"response.created","response":{"id":"r1","usage":null}}"#,
            #"{"type":"response.reasoning_summary_text.delta","delta":"Hm"}"#,
            #"{"type":"response.output_item.added","item":{"type":"message"}}"#,
            #"{"type":"response.output_text.delta","delta":"He"}"#,
            #"{"type":"response.output_text.delta","delta":"y"}"#,
            #"{"type":"response.output_text.done","text":"Hey"}"#,
            #"{"type":"response.completed","response":{"id":"r1","usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}}"#
        ), text: "Hey", id: "r1", usage: Usage(prompt: 1, completion: 2, total: 3)),
    Sample(
        format: .openAIResponses, name: "a call of a tool, and then the answer",
        bytes: stream(
            #"{"type":"response.created","response":{"id":"r1"}}"#,
            #"{"type":"response.output_item.added","item":{"type":"function_call"}}"#,
            #"{"type":"response.completed","response":{"id":"r1"}}"#,
            #"{"type":"response.created","response":{"id":"r2"}}"#,
            #"{"type":"response.output_text.delta","delta":"a"}"#,
            #"{"type":"response.completed","response":{"id":"r2"}}"#,
            #"{"type":"response.output_text.delta","delta":"late"}"#), text: "a", id: "r1"),
    Sample(
        format: .openAIResponses, name: "a call of a tool, and an answer that breaks off",
        bytes: stream(
            #"{"type":"response.output_item.added","item":{"type":"function_call"}}"#,
            #"{"type":"response.completed","response":{}}"#,
            #"{"type":"response.created","response":{}}"#,
            #"{"type":"response.output_text.delta","delta":"a"}"#), text: "a", outcome: .interrupted,
        reason: early),
    Sample(
        format: .openAIResponses, name: "text that comes only with the end of each of two responses",
        bytes: stream(
            #"{"type":"response.output_text.done","text":"a"}"#,
            #"{"type":"response.output_item.added","item":{"type":"function_call"}}"#,
            #"{"type":"response.completed","response":{}}"#,
            #"{"type":"response.created","response":{}}"#,
            #"{"type":"response.output_text.done","text":"b"}"#,
            #"{"type":"response.completed","response":{}}"#), text: "ab"),
    Sample(
        format: .openAIResponses, name: "white space alone, and then the answer",
        bytes: stream(
            #"{"type":"response.created","response":{"id":"r1"}}"#,
            #"{"type":"response.output_text.delta","delta":"\n"}"#,
            #"{"type":"response.completed","response":{"id":"r1"}}"#,
            #"{"type":"response.created","response":{"id":"r2"}}"#,
            #"{"type":"response.output_text.delta","delta":"a"}"#,
            #"{"type":"response.completed","response":{"id":"r2"}}"#), text: "\na", id: "r1"),
    Sample(
        format: .openAIResponses, name: "a call of a tool alone",
        bytes: stream(
            #"{"type":"response.output_item.added","item":{"type":"function_call"}}"#,
            #"{"type":"response.completed","response":{}}"#), text: "", outcome: .failed, reason: tool),
    Sample(
        format: .openAIResponses, name: "complete without text",
        bytes: stream(#"{"type":"response.completed","response":{}}"#), text: "", outcome: .failed,
        reason: empty),
    Sample(
        format: .openAIResponses, name: "the model declines in its own words",
        bytes: stream(
            #"{"type":"response.refusal.delta","delta":"No"}"#,
            #"{"type":"response.refusal.done","refusal":"No."}"#,
            #"{"type":"response.completed","response":{}}"#), text: "", outcome: .failed, reason: "No."),
    Sample(
        format: .openAIResponses, name: "incomplete for its length",
        bytes: stream(
            #"{"type":"response.output_text.delta","delta":"a"}"#,
            #"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#
        ),
        text: "a", outcome: .interrupted, reason: cut),
    Sample(
        format: .openAIResponses, name: "called complete, and incomplete by its status",
        bytes: stream(
            #"{"type":"response.output_text.delta","delta":"a"}"#,
            #"{"type":"response.completed","response":{"id":"r1","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}"#
        ),
        text: "a", outcome: .interrupted, reason: cut),
    Sample(
        format: .openAIResponses, name: "called complete, and failed by its status",
        bytes: stream(
            #"{"type":"response.output_text.delta","delta":"a"}"#,
            #"{"type":"response.completed","response":{"id":"r1","status":"failed","error":{"message":"Oh."}}}"#
        ),
        text: "a", outcome: .interrupted, reason: "Oh."),
    Sample(
        format: .openAIResponses, name: "called complete, and cancelled by its status",
        bytes: stream(
            #"{"type":"response.completed","response":{"id":"r1","status":"cancelled","error":null}}"#),
        text: "", outcome: .failed, reason: endedEarly("cancelled")),
    Sample(
        format: .openAIResponses, name: "text that comes only with the end of each part",
        bytes: stream(
            #"{"type":"response.content_part.added","part":{"type":"output_text","text":""}}"#,
            #"{"type":"response.output_text.done","text":"a"}"#,
            #"{"type":"response.content_part.added","part":{"type":"output_text","text":""}}"#,
            #"{"type":"response.output_text.done","text":"b"}"#,
            #"{"type":"response.completed","response":{"output":[]}}"#), text: "ab"),
    Sample(
        format: .openAIResponses, name: "text in pieces and an empty part, which the ends repeat",
        bytes: stream(
            #"{"type":"response.content_part.added","part":{"type":"output_text","text":""}}"#,
            #"{"type":"response.output_text.delta","delta":"\n"}"#,
            #"{"type":"response.output_text.done","text":"\n"}"#,
            #"{"type":"response.content_part.added","part":{"type":"output_text","text":""}}"#,
            #"{"type":"response.output_text.delta","delta":"a"}"#,
            #"{"type":"response.output_text.done","text":"a"}"#,
            #"{"type":"response.content_part.added","part":{"type":"output_text","text":""}}"#,
            #"{"type":"response.output_text.done","text":""}"#,
            #"{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"\na"}]}]}}"#
        ), text: "\na"),
    Sample(
        format: .openAIResponses, name: "text, cost and id in the last event alone",
        bytes: stream(
            #"{"type":"response.completed","response":{"id":"r1","status":"completed","output":[{"type":"reasoning"},{"type":"message","content":[{"type":"output_text","text":"a"}]}],"usage":{"input_tokens":1,"output_tokens":2}}}"#,
            "[DONE]"), text: "a", id: "r1", usage: Usage(prompt: 1, completion: 2, total: 3), skipped: 1),
    Sample(
        format: .openAIResponses, name: "text in the last event alone, and incomplete by its status",
        bytes: stream(
            #"{"type":"response.completed","response":{"status":"incomplete","output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}]}}"#
        ), text: "a", outcome: .interrupted, reason: cut),
    Sample(
        format: .openAIResponses, name: "a call of a tool in the last event alone",
        bytes: stream(
            #"{"type":"response.completed","response":{"output":[{"type":"function_call"}]}}"#), text: "",
        outcome: .failed, reason: tool),
    Sample(
        format: .openAIResponses, name: "the model declines in the last event alone",
        bytes: stream(
            #"{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]}}"#
        ), text: "", outcome: .failed, reason: "No."),
    Sample(
        format: .openAIResponses, name: "the model declines behind text, in pieces alone",
        bytes: stream(
            #"{"type":"response.output_text.delta","delta":"a"}"#,
            #"{"type":"response.refusal.delta","delta":"I can"}"#,
            #"{"type":"response.refusal.delta","delta":"not."}"#,
            #"{"type":"response.completed","response":{"status":"completed"}}"#), text: "a",
        outcome: .interrupted, reason: "I cannot."),
    Sample(
        format: .openAIResponses, name: "text, a call of a tool, and the answer in another response",
        bytes: stream(
            #"{"type":"response.created","response":{"id":"r1"}}"#,
            #"{"type":"response.output_text.delta","delta":"a"}"#,
            #"{"type":"response.output_item.added","item":{"type":"function_call"}}"#,
            #"{"type":"response.completed","response":{"id":"r1","status":"completed"}}"#,
            #"{"type":"response.created","response":{"id":"r2"}}"#,
            #"{"type":"response.output_text.delta","delta":"b"}"#,
            #"{"type":"response.completed","response":{"id":"r2"}}"#), text: "ab", id: "r1"),
    Sample(
        format: .openAIResponses, name: "incomplete for the filter",
        bytes: stream(
            #"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}"#),
        text: "", outcome: .failed, reason: filtered),
    Sample(
        format: .openAIResponses, name: "failed",
        bytes: stream(#"{"type":"response.failed","response":{"error":{"code":"x","message":"Oh."}}}"#),
        text: "", outcome: .failed, reason: "Oh."),
    Sample(
        format: .openAIResponses, name: "errors of either shape",
        bytes: stream(#"{"type":"error","code":"x","message":"Oh."}"#), text: "", outcome: .failed,
        reason: "Oh."),
    Sample(
        format: .openAIResponses, name: "an error within an object, behind text and the unknown",
        bytes: stream(
            #"{"type":"response.output_text.delta","delta":"a"}"#, #"{"type":"later"}"#, "{", "[DONE]",
            #"{"type":"error","error":{"message":"Oh."}}"#), text: "a", outcome: .interrupted, reason: "Oh.",
        skipped: 3),
    Sample(
        format: .openAIResponses, name: "a sign of life",
        bytes: stream(#"{"type":"response.output_text.delta","delta":"a"}"#, #"{"type":"keepalive"}"#),
        text: "a", outcome: .interrupted, reason: early),
    Sample(
        format: .openAIResponses, name: "an error without a type",
        bytes: "event: error\n" + stream(#"{"error":{"message":"Oh.","code":500}}"#), text: "",
        outcome: .failed, reason: "Oh."),
    Sample(
        format: .openAIResponses, name: "incomplete for another reason",
        bytes: stream(
            #"{"type":"response.output_text.delta","delta":"a"}"#,
            #"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"later"}}}"#),
        text: "a", outcome: .interrupted, reason: endedEarly("later")),
    Sample(
        format: .openAIResponses, name: "a call of a tool that has only begun behind text",
        bytes: stream(
            #"{"type":"response.output_text.delta","delta":"a"}"#,
            #"{"type":"response.output_item.added","item":{"type":"function_call"}}"#), text: "a",
        outcome: .interrupted, reason: early),
    Sample(
        format: .openAIResponses, name: "text before a call of a tool is an answer",
        bytes: stream(
            #"{"type":"response.output_text.delta","delta":"a"}"#,
            #"{"type":"response.output_item.added","item":{"type":"function_call"}}"#,
            #"{"type":"response.completed","response":{}}"#), text: "a"),
    Sample(
        format: .openAIResponses, name: "an end before the last event",
        bytes: stream(#"{"type":"response.output_text.delta","delta":"a"}"#), text: "a",
        outcome: .interrupted, reason: early),
]

private let anthropic: [Sample] = [
    Sample(
        format: .anthropic, name: "text, cost and id, beside reasoning and tools that are not shown",
        bytes: "event: message_start\n"
            + stream(
                #"{"type":"message_start","message":{"id":"m1","usage":{"input_tokens":2,"cache_creation_input_tokens":3,"cache_read_input_tokens":4,"output_tokens":1}}}"#,
                #"{"type":"content_block_start","index":0,"content_block":{"type":"thinking"}}"#,
                #"{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"Hm","text":"no"}}"#,
                #"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}"#,
                #"{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"x"}}"#,
                #"{"type":"content_block_stop","index":0}"#, #"{"type":"ping"}"#,
                #"{"type":"content_block_delta","delta":{"text":"Hey","type":"text_delta"}}"#,
                #"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}"#,
                #"{"type":"message_stop"}"#, #"{"type":"ping"}"#),
        text: "Hey", id: "m1", usage: Usage(prompt: 9, completion: 7, total: 16)),
    Sample(
        format: .anthropic, name: "a call of a tool, and then the answer in another message",
        bytes: stream(
            #"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
            #"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#, #"{"type":"message_stop"}"#,
            #"{"type":"message_start","message":{"id":"m2","stop_reason":"tool_use"}}"#,
            #"{"type":"message_stop"}"#, #"{"type":"message_start","message":{"id":"m3"}}"#,
            #"{"type":"content_block_delta","delta":{"type":"text_delta","text":"b"}}"#,
            #"{"type":"message_delta","delta":{"stop_reason":"stop_sequence"}}"#, #"{"type":"message_stop"}"#),
        text: "ab", id: "m2"),
    Sample(
        format: .anthropic, name: "a pause, and another message that breaks off",
        bytes: stream(
            #"{"type":"message_start","message":{"id":"m1","stop_reason":null}}"#,
            #"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
            #"{"type":"message_delta","delta":{"stop_reason":"pause_turn"}}"#, #"{"type":"message_stop"}"#,
            #"{"type":"message_start","message":{"id":"m2","stop_reason":null}}"#,
            #"{"type":"content_block_delta","delta":{"type":"text_delta","text":"b"}}"#),
        text: "ab", outcome: .interrupted, reason: early),
    Sample(
        format: .anthropic, name: "text before a call of a tool is an answer",
        bytes: stream(
            #"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
            #"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#, #"{"type":"message_stop"}"#),
        text: "a"),
    Sample(
        format: .anthropic, name: "a call of a tool alone",
        bytes: stream(
            #"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#, #"{"type":"message_stop"}"#),
        text: "", outcome: .failed, reason: tool),
    Sample(
        format: .anthropic, name: "a cut at the limit",
        bytes: stream(
            #"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
            #"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#, #"{"type":"message_stop"}"#),
        text: "a", outcome: .interrupted, reason: cut),
    Sample(
        format: .anthropic, name: "a refusal",
        bytes: stream(
            #"{"type":"message_delta","delta":{"stop_reason":"refusal"}}"#, #"{"type":"message_stop"}"#),
        text: "", outcome: .failed,
        reason: "The model's provider withheld the answer (refusal). Ask in another way."),
    Sample(
        format: .anthropic, name: "an error, behind what is unknown",
        bytes: stream(
            #"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#, #"{"type":"x"}"#,
            "{",
            #"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#), text: "a",
        outcome: .interrupted, reason: "Overloaded", skipped: 2),
    Sample(
        format: .anthropic, name: "an end without message_stop, although its reason was told",
        bytes: stream(
            #"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
            #"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#), text: "a"),
    Sample(
        format: .anthropic, name: "text at the beginning of a message and of a block",
        bytes: stream(
            #"{"type":"message_start","message":{"content":[{"type":"text","text":"a"}],"stop_reason":null}}"#,
            #"{"type":"content_block_start","content_block":{"type":"thinking","thinking":"Hm","text":"no"}}"#,
            #"{"type":"content_block_start","content_block":{"type":"text","text":"b"}}"#,
            #"{"type":"message_stop"}"#), text: "ab"),
    Sample(
        format: .anthropic, name: "a later reason",
        bytes: stream(
            #"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
            #"{"type":"message_delta","delta":{"stop_reason":"later"}}"#, #"{"type":"message_stop"}"#),
        text: "a", outcome: .interrupted, reason: endedEarly("later")),
    Sample(
        format: .anthropic, name: "an error without a type",
        bytes: stream(#"{"error":{"message":"Oh."}}"#), text: "", outcome: .failed, reason: "Oh."),
    Sample(
        format: .anthropic, name: "an end in the middle",
        bytes: stream(#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#), text: "a",
        outcome: .interrupted, reason: early),
]

private let google: [Sample] = [
    Sample(
        format: .google, name: "text of one and of several parts, cost and id, beside thoughts",
        bytes: stream(
            #"{"candidates":[{"content":{"parts":[{"text":"Hm","thought":true}]}}],"responseId":"g1"}"#,
            #"{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"}}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}"#,
            #"{"candidates":[{"content":{"parts":[{"text":"no","thought":true},{"text":"b"},{"inlineData":{}},{"text":"c"}]}}]}"#,
            #"{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"x"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":3,"thoughtsTokenCount":4,"totalTokenCount":8}}"#
        ), text: "abc", id: "g1", usage: Usage(prompt: 1, completion: 7, total: 8)),
    Sample(
        format: .google, name: "text and end of a further candidate, which is another answer",
        bytes: stream(
            #"{"candidates":[{"index":0,"content":{"parts":[{"text":"a"}]}}]}"#,
            #"{"candidates":[{"index":1,"content":{"parts":[{"text":"x"}]},"finishReason":"SAFETY"}]}"#,
            #"{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP","index":0}]}"#),
        text: "ab"),
    Sample(
        format: .google, name: "candidates of one event in another order",
        bytes: stream(
            #"{"candidates":[{"index":1,"finishReason":"SAFETY"},{"index":0,"content":{"parts":[{"text":"a"}]}}]}"#,
            #"{"candidates":[{"index":1},{"content":{"parts":[{"text":"b"}]},"finishReason":"MAX_TOKENS"}]}"#),
        text: "ab", outcome: .interrupted, reason: cut),
    Sample(
        format: .google, name: "a call of a tool alone",
        bytes: stream(
            #"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"x"}}]}}]}"#,
            #"{"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP"}]}"#), text: "",
        outcome: .failed, reason: tool),
    Sample(
        format: .google, name: "a call of a tool behind a thought",
        bytes: stream(
            #"{"candidates":[{"content":{"parts":[{"text":"Hm","thought":true},{"functionCall":{}}]},"finishReason":"STOP"}]}"#
        ), text: "", outcome: .failed, reason: tool),
    Sample(
        format: .google, name: "a call of a tool behind text, without the reason of an end",
        bytes: stream(#"{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{}}]}}]}"#),
        text: "a", outcome: .interrupted, reason: early),
    Sample(
        format: .google, name: "text behind an early reason, and no other",
        bytes: stream(
            #"{"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}"#,
            #"{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#),
        text: "a", outcome: .interrupted, reason: early),
    Sample(
        format: .google, name: "a reason at every piece",
        bytes: stream(
            #"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}"#,
            #"{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}"#), text: "ab"),
    Sample(
        format: .google, name: "a cut at the limit",
        bytes: stream(
            #"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"MAX_TOKENS"}]}"#), text: "a",
        outcome: .interrupted, reason: cut),
    Sample(
        format: .google, name: "an unsafe answer",
        bytes: stream(
            #"{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#,
            #"{"candidates":[{"finishReason":"SAFETY"}]}"#),
        text: "a", outcome: .interrupted,
        reason: "The model's provider withheld the answer (SAFETY). Ask in another way."),
    Sample(
        format: .google, name: "a blocked question",
        bytes: stream(#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{}}"#),
        text: "",
        outcome: .failed,
        reason: "The model's provider withheld the answer (PROHIBITED_CONTENT). Ask in another way."),
    Sample(
        format: .google, name: "an error, behind what is unknown",
        bytes: stream(
            #"{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#, #"{"x":1}"#, "{",
            #"{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}"#), text: "a",
        outcome: .interrupted, reason: "Overloaded", skipped: 2),
    Sample(
        format: .google, name: "an error that is no event, behind a reason",
        bytes: stream(#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}"#)
            + "\n{\r\n  \"error\": {\r\n\t\"code\": 503,\n    \"message\": \"Overloaded\"\n  }\n}\n",
        text: "a",
        outcome: .interrupted, reason: "Overloaded"),
    Sample(
        format: .google, name: "an error that is no event, alone",
        bytes: #"{"error":{"message":"Overloaded"}}"#,
        text: "", outcome: .failed, reason: "Overloaded"),
    Sample(
        format: .google, name: "an end without a finish reason",
        bytes: stream(#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#), text: "a",
        outcome: .interrupted, reason: early),
    Sample(
        format: .google, name: "complete without text",
        bytes: stream(#"{"candidates":[{"finishReason":"STOP"}]}"#), text: "", outcome: .failed, reason: empty
    ),
]

private let aiSDK: [Sample] = [
    Sample(
        format: .aiSDK, name: "text and id, beside all that is not shown",
        bytes: stream(
            #"{"type":"start","messageId":"m1"}"#, #"{"type":"start-step"}"#,
            #"{"type":"reasoning-delta","id":"r","delta":"Hm"}"#, #"{"type":"tool-input-delta","delta":"{"}"#,
            #"{"type":"data-weather","data":{}}"#, #"{"type":"source-url","url":"x"}"#,
            #"{"type":"file","url":"data:x"}"#, #"{"type":"text-start","id":"1"}"#,
            #"{"type":"text-delta","id":"1","delta":"a"}"#, #"{"type":"text-end","id":"1"}"#,
            #"{"type":"finish-step"}"#, #"{"type":"start-step"}"#, #"{"type":"reset-step"}"#,
            #"{"type":"text-delta","id":"2","delta":"b"}"#, #"{"type":"finish","finishReason":"stop"}"#,
            #"{"type":"message-metadata"}"#, "[DONE]"), text: "ab", id: "m1"),
    Sample(
        format: .aiSDK, name: "no [DONE] behind finish",
        bytes: stream(#"{"type":"text-delta","delta":"a"}"#, #"{"type":"finish"}"#), text: "a"),
    Sample(
        format: .aiSDK, name: "an end without finish", bytes: stream(#"{"type":"text-delta","delta":"a"}"#),
        text: "a", outcome: .interrupted, reason: early),
    Sample(
        format: .aiSDK, name: "[DONE] without text", bytes: stream(#"{"type":"finish"}"#, "[DONE]"), text: "",
        outcome: .failed, reason: empty),
    Sample(
        format: .aiSDK, name: "a cut at the limit",
        bytes: stream(
            #"{"type":"text-delta","delta":"a"}"#, #"{"type":"finish","finishReason":"length"}"#, "[DONE]"),
        text: "a", outcome: .interrupted, reason: cut),
    Sample(
        format: .aiSDK, name: "a failing reason",
        bytes: stream(
            #"{"type":"text-delta","delta":"a"}"#, #"{"type":"finish","finishReason":"error"}"#, "[DONE]"),
        text: "a", outcome: .interrupted, reason: endedEarly("error")),
    Sample(
        format: .aiSDK, name: "a call of a tool alone",
        bytes: stream(#"{"type":"finish","finishReason":"tool-calls"}"#, "[DONE]"), text: "",
        outcome: .failed, reason: tool),
    Sample(
        format: .aiSDK, name: "a call of a tool, and an answer behind it that is cut",
        bytes: stream(
            #"{"type":"finish","finishReason":"tool-calls"}"#, #"{"type":"text-delta","delta":"a"}"#,
            #"{"type":"finish","finishReason":"length"}"#, "[DONE]"), text: "a", outcome: .interrupted,
        reason: cut),
    Sample(
        format: .aiSDK, name: "[DONE] without finish, behind what is unknown",
        bytes: stream(#"{"type":"text-delta","delta":"a"}"#, #"{"type":"x"}"#, "[DONE]"), text: "a",
        outcome: .interrupted, reason: endedEarly("no reason given"), skipped: 1),
    Sample(
        format: .aiSDK, name: "a filtered answer",
        bytes: stream(#"{"type":"finish","finishReason":"content-filter"}"#, "[DONE]"), text: "",
        outcome: .failed, reason: filtered),
    Sample(
        format: .aiSDK, name: "text that the server takes back",
        bytes: stream(
            #"{"type":"start-step"}"#, #"{"type":"text-delta","delta":"a"}"#, #"{"type":"reset-step"}"#,
            #"{"type":"text-delta","delta":"b"}"#, "[DONE]"), text: "a", outcome: .interrupted,
        reason: "The server began its answer anew. Please try again."),
    Sample(
        format: .aiSDK, name: "an abort",
        bytes: stream(#"{"type":"text-delta","delta":"a"}"#, #"{"type":"abort"}"#, "[DONE]"), text: "a",
        outcome: .interrupted, reason: "The server stopped the answer. Please try again."),
    Sample(
        format: .aiSDK, name: "an error, behind what is unknown",
        bytes: stream(#"{"type":"x"}"#, "{", #"{"type":"error","errorText":"Oh."}"#, "[DONE]"), text: "",
        outcome: .failed, reason: "Oh.", skipped: 2),
]

@Suite("Model APIs: streams")
struct ModelStreamTests {
    @Test(
        "S3–S5, S12, L9: text, cost and reason are the same under every split",
        arguments: openAI + badEndings + responses + anthropic + google + aiSDK)
    private func sample(_ sample: Sample) {
        let bytes = Array(sample.bytes.utf8)
        let whole = sample.format.decode([bytes])
        #expect(whole.text == sample.text && whole.outcome == sample.outcome)
        #expect(whole.reason == sample.reason)
        #expect(whole.id == sample.id && whole.usage == sample.usage)
        #expect(whole.skipped == sample.skipped)
        #expect(sample.format.decode(bytes.map { [$0] }) == whole)
        for cut in stride(from: 0, to: bytes.count, by: thoroughly(1, otherwise: 5)) {
            let split = sample.format.decode([Array(bytes[..<cut]), Array(bytes[cut...])])
            guard split != whole else { continue }
            Issue.record("split at \(cut): \(split)")
            break
        }
    }

    private static let formats: [ReplyFormat] = [.openAI, .openAIResponses, .anthropic, .google, .aiSDK]

    @Test("S4: a reply whose end was told is complete, however the connection ends; another is not")
    func lost() {
        for sample in openAI + anthropic + google + aiSDK
        where sample.outcome == .finished && !sample.bytes.contains("DONE") && sample.id == nil {
            let reply = sample.format.decode([Array((sample.bytes + "\n\n").utf8)], ending: .failed(.lost))
            #expect(reply.outcome == .finished, "\(sample.testDescription)")
        }
        for format in Self.formats {
            let reply = format.decode([], ending: .failed(.lost))
            #expect(reply.outcome == .failed && reply.reason == Wording.neutral.reasons.lost)
        }
    }

    @Test("L8: an event over 1 MiB is too large, except where an event repeats all or brings an image")
    func limits() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1_100_000)
        for format in Self.formats {
            let event = Array("data: {\"type\":\"response.x\",\"x\":\"".utf8) + long + Array("\"}\n\n".utf8)
            let reply = format.decode([event])
            switch format {
            case .openAI, .anthropic: #expect(reply.end == .failed(.tooLarge), "\(format)")
            default: #expect(reply.end == nil && reply.reason == early, "\(format)")
            }
        }
    }

    @Test(
        "S9: a refusal with a remedy is told in the server's words; a key, a wait and a dead server are not",
        arguments: [
            (404, #"{"error":{"message":"model 'x' not found","type":"api_error"}}"#, "model 'x' not found"),
            (
                400, #"{"type":"error","error":{"type":"invalid_request_error","message":"too long"}}"#,
                "too long"
            ),
            (400, #"[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]"#, "bad"),
            (404, #"{"error":"no such model"}"#, "no such model"),
            (422, #"{"object":"error","message":"odd"}"#, "odd"),
            (
                422,
                #"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body"],"msg":"no"}]}}"#,
                "no"
            ),
            (422, #"{"detail":[{"loc":["body"],"msg":"missing"}]}"#, "missing"),
            (404, #"{"detail":"Not Found"}"#, "Not Found"),
            (402, #"{"error":{"message":"Insufficient Balance"}}"#, "Insufficient Balance"),
            (429, #"{"error":{"message":"No credit","code":"insufficient_quota"}}"#, "No credit"),
            (429, #"{"error":{"message":"Slow down","code":"rate_limit_exceeded"}}"#, nil),
            (401, #"{"error":{"message":"Bad key"}}"#, nil), (503, #"{"error":{"message":"Busy"}}"#, nil),
            (404, "<html>", nil), (408, #"{"error":"late"}"#, nil),
        ] as [(Int64, String, String?)])
    func refusals(_ status: Int64, _ body: String, _ sentence: String?) {
        for format in Self.formats {
            let reply = format.decode([Array(body.utf8)], status: status)
            #expect(reply.outcome == .failed)
            guard case .refused(status, nil, let message)? = reply.end else {
                Issue.record("\(format): \(reply)")
                continue
            }
            if let sentence {
                #expect(reply.reason == ExactText(sentence) && message == ExactText(sentence), "\(format)")
            } else {
                #expect(reply.reason?.string.hasPrefix("status \(status): ") == true, "\(format)")
            }
        }
    }

    @Test(
        "S5: a success with one JSON text in place of a stream is an error: in the server's words, or malformed"
    )
    func page() {
        for format in ReplyFormat.allCases {
            func decode(_ body: String, _ type: ExactText) -> DecodedReply {
                format.decode(Array(body.utf8).map { [$0] }, headers: [Header("content-type", type)])
            }
            let told = decode(
                #"{"error":"No more today.","message":"No more today."}"#, "Application/JSON; charset=utf-8")
            #expect(told.outcome == .failed && told.reason == "No more today." && told.end == .completed)
            for (body, type) in [
                ("{}", "application/json"), ("[", "application/json"), (#"{"error":"x"}"#, "text/html"),
            ] as [(String, ExactText)] {
                let reply = decode(body, type)
                #expect(reply.end == .failed(.malformed) && reply.events == 0 && reply.skipped == 0)
            }
        }
    }
}
