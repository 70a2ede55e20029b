// What a Clawline server says that cannot be read, in a replay of a told number of messages.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Clawline: messages that cannot be read")
struct ClawlineUnreadableTests {
    @Test(
        "C5, S12: an unreadable message counts in a replay unless it is said to grow",
        arguments: [("", true), (#","streaming":false"#, true), (#","streaming":true"#, false)])
    func counts(streaming: String, isCounted: Bool) {
        for fault in [#""role":"wizard","timestamp":1"#, #""role":"user","timestamp":"yesterday""#] {
            var call = ClawlineCall.connected
            let reaction = call.receive(
                #"{"type":"message","id":"s_1","content":"x",\#(fault)\#(streaming)}"#)
            #expect(reaction.events == (isCounted ? [.chat(.unreadableMessage)] : []), "\(fault)")
            #expect(reaction.skipped == 1 && reaction.end == nil)
        }
    }
}
