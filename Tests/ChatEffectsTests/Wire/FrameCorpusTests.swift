// The frames from which the fuzzer starts, and changes of them, in the whole machine: numbers, ids and texts that a decoder
// takes must be survived behind it too. Whatever arrives, what the person wrote stays, and the machine comes to rest.

import ChatDomain
import Foundation
import TestVolume
import Testing

@testable import ChatEffects

@Suite("Any frame, from the wire to the screen")
struct FrameCorpusTests {
    private typealias LinkLoop<Link: LinkBackend> = VirtualLoop<ChatCarriages<Link, NoCarriage>, ProviderWire>

    // MARK: Places

    /// A connection with a message in flight, an acknowledged one and a growing reply.
    private static func clawline() -> ProviderLoop {
        var loop = ProviderLoop.connected()
        loop.write("first")
        loop.take(as: "s_0")
        loop.hear(ProviderLoop.message("s_1", "gro", isGrowing: true))
        loop.write("second")
        return loop
    }

    private static func chat<Link: LinkBackend>(
        _ link: Link, _ configuration: Chat.Configuration, _ frames: String...
    ) -> LinkLoop<Link> {
        let secret = SecretHandle("key")
        let machine = Machine(
            Chat(configuration: configuration), state: Chat.State(configuration: configuration),
            backend: ChatCarriages(link: link), moment: Stage.moment(0), entropy: .seeded(3))
        var store = MemoryStore()
        _ = store.carryOut(.save(StorageTicket(0), .secret(secret), .secret(Secret("t"))))
        var loop = LinkLoop<Link>(machine, store: store, server: ProviderWire())
        loop.send(.signedIn(Account(user: "u", secret: secret, device: "d")))
        loop.send(.shown)
        loop.advance(by: .zero)
        for frame in frames {
            loop.server.say(frame)
            loop.advance(by: .zero)
        }
        for text in ["first", "second"] as [ExactText] {
            loop.send(.draftEdited(text))
            loop.send(.sent)
            loop.advance(by: .zero)
        }
        return loop
    }

    private static func clawdbot() -> LinkLoop<ClawdbotLink> {
        chat(ClawdbotLink(), .clawdbot)
    }

    private static func openClaw() -> LinkLoop<OpenClawLink> {
        chat(
            OpenClawLink(), .openClaw,
            #"{"type":"event","event":"connect.challenge","payload":{"nonce":"n","ts":1000000000}}"#,
            #"{"type":"res","id":"r-1","ok":true,"payload":{"type":"hello-ok","protocol":3}}"#)
    }

    // MARK: Tests

    @Test("The places are connected, with both messages on the screen and one in flight")
    func places() {
        #expect(Self.written(Self.clawline().state.chat) == ["first", "second"])
        #expect(Self.written(Self.clawdbot().state) == ["first", "second"])
        #expect(Self.written(Self.openClaw().state) == ["first", "second"])
        #expect(Self.clawline().server.frames("message").count == 2)
        #expect(Self.clawdbot().server.frames("chat.message").count == 1)
        #expect(Self.openClaw().server.frames("req").map { $0.json["method"] } == ["connect", "chat.send"])
    }

    @Test("L1, L5, S12: no frame of Clawline takes away what was written")
    func clawlineFrames() throws { try check("clawline", Self.clawline()) { $0.chat } }

    @Test("L1, L5, S12: no frame of Clawdbot takes away what was written")
    func clawdbotFrames() throws { try check("clawdbot", Self.clawdbot()) { $0 } }

    @Test("L1, L5, S12: no frame of OpenClaw takes away what was written")
    func openClawFrames() throws { try check("openclaw", Self.openClaw()) { $0 } }

    private func check<Codec: Backend>(
        _ corpus: String, _ place: VirtualLoop<Codec, ProviderWire>,
        _ chat: (Codec.Subject.State) -> Chat.State
    ) throws {
        let call = try #require(place.machine.openCalls.last?.number)
        let client = place.server.frames.last.flatMap { frame in
            frame.json["id"]?.string ?? frame.json["payload"]?["id"]?["value"]?.string
        }
        let before = Self.written(chat(place.state))
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fuzzing/Corpus/Bytes/\(corpus)")
        var random = JSONRandom(state: 5)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            let input = try Data(contentsOf: folder.appendingPathComponent(name)).dropFirst()
            // The message in flight has an id of its own.
            let text = String(decoding: input, as: UTF8.self)
                .replacingOccurrences(of: "c_1", with: client?.string ?? "c_1")
            for round in 0..<thoroughly(16, otherwise: 5) {
                var bytes = Array(text.utf8)
                for _ in 0..<((round + 3) / 4) { random.change(&bytes) }
                var loop = place
                for frame in bytes.split(separator: UInt8(ascii: "\n")) {
                    loop.receive([.arrived(call, .text(Array(frame)))])
                    loop.receive([.arrived(call, .text(Array(frame)))])
                }
                let then = Self.written(chat(loop.state))
                loop.advance(by: .minutes(5))
                let later = Self.written(chat(loop.state))
                guard before.allSatisfy({ then.contains($0) && later.contains($0) }) else {
                    Issue.record("\(then) \(later): \(String(decoding: bytes, as: UTF8.self))")
                    return
                }
            }
        }
    }

    /// The person's texts on the screen.
    private static func written(_ state: Chat.State) -> [String] {
        Chat.rows(state, newest: 100, .neutral).filter {
            if case .written = $0.id { true } else { false }
        }.map { $0.text.string }
    }
}

extension JSONRandom {
    /// Changes, removes or doubles a byte, or puts a number from the end of its range in.
    fileprivate mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let place = below(bytes.count)
        switch below(5) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(bytes[place], at: place)
        default:
            // The digits around the place, if there are any.
            let isDigit: (UInt8) -> Bool = { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            guard let digit = bytes[place...].firstIndex(where: isDigit) else { return }
            let end = bytes[digit...].firstIndex { !isDigit($0) } ?? bytes.endIndex
            let numbers = ["9223372036854775807", "-9223372036854775808", "0", "-1", "1e400", "1.5"]
            bytes.replaceSubrange(digit..<end, with: Array(numbers[below(numbers.count)].utf8))
        }
    }
}
