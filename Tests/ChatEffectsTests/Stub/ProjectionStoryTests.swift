import ChatDomain
import ChatEffects
import Testing

/// What a front end draws, at each place of a conversation, from the projections alone.
@Suite("What a screen shows, from launch to answer")
struct ProjectionStoryTests {
    private let copy = Wording.neutral

    @Test("R3, P3: the pairing screen asks for a name, waits, and is done")
    func pairing() {
        var loop = StoryLoop.fresh()
        loop.send(.launched)
        #expect(form(loop)?.canSubmit == false)
        loop.send(.pairing(.nameEdited("Ada")))
        #expect(form(loop)?.name == "Ada" && form(loop)?.canSubmit == true)
        #expect(form(loop)?.label == copy.yourName && form(loop)?.button == copy.connect)
        loop.send(.pairing(.submitted))
        #expect(Pairing.screen(loop.state.pairing, copy) == .waiting(copy.waitingForApproval, code: nil))
        loop.advance(by: .seconds(3))
        #expect(Pairing.screen(loop.state.pairing, copy) == .finished)
    }

    private func form(_ loop: StoryLoop) -> Pairing.Form? {
        if case .name(let form) = Pairing.screen(loop.state.pairing, copy) { form } else { nil }
    }

    @Test("R3, S1, S2: composer, rows, indicator and connection line follow a message to its answer")
    func chat() {
        var loop = StoryLoop.paired()
        loop.send(.chat(.shown))
        #expect(Chat.connectionLine(loop.state.chat, copy) == copy.connecting)
        loop.advance(by: .seconds(1))
        #expect(Chat.connectionLine(loop.state.chat, copy) == nil)

        let text = "Hello there, this is long enough to be answered in more than one batch"
        loop.send(.chat(.draftEdited(ExactText(text))))
        #expect(Chat.composer(loop.state.chat).canSend)
        loop.send(.chat(.sent))
        #expect(Chat.composer(loop.state.chat).text.isEmpty && !Chat.composer(loop.state.chat).canSend)
        #expect(Chat.isTyping(loop.state.chat) && Chat.isSending(loop.state.chat))

        var grown: [String] = []
        for _ in 0..<60 {
            loop.advance(by: .milliseconds(50))
            let rows = Chat.rows(loop.state.chat, newest: 10, copy)
            guard let reply = rows.last, reply.role == .assistant else { continue }
            #expect(!Chat.isTyping(loop.state.chat))
            if reply.isGrowing, reply.text.string != grown.last { grown.append(reply.text.string) }
        }
        let rows = Chat.rows(loop.state.chat, newest: 10, copy)
        #expect(rows.map { $0.text.string } == [text, "You said: " + text])
        #expect(rows.map { $0.status } == [.delivered, nil])
        #expect(grown.count > 1 && zip(grown, grown.dropFirst()).allSatisfy { $1.hasPrefix($0) })
    }
}
