// The progress of calls in a backend of two features: each side's codec finds what it left.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Progress of calls beside each other")
struct BesideProgressTests {
    private typealias Both = Beside<Script, Script>
    private typealias BothBackend = BesideBackend<Both, ScriptCodec, ScriptCodec>
    private typealias Progress = ScriptCodec.Progress

    @Test("R1: the codec of either feature remembers what it sent and received on a call")
    func remembered() {
        let backend = BothBackend(ScriptCodec(), ScriptCodec())
        let frame = Script.Frame.frame(7)
        let cases: [(BothBackend.Progress, Both.Frame, Both.Frame, BothBackend.Progress)] = [
            (.first(Progress()), .first(frame), .second(frame), .first(Progress(bytes: 3, frames: 2))),
            (.second(Progress()), .second(frame), .first(frame), .second(Progress(bytes: 3, frames: 2))),
        ]
        for (start, own, other, end) in cases {
            var progress = start
            var reaction = Reaction<Both.Event>()
            for frame in [own, own, other] {
                backend.send(frame, progress: &progress, reaction: &reaction)
            }
            backend.receive(.body([1, 2, 3]), progress: &progress, reaction: &reaction)
            #expect(progress == end)
            #expect(reaction.frames.count == 2 && reaction.events.count == 3 && reaction.skipped == 1)
        }
    }
}
