@testable import ChatEffects
import ChatDomain
import Testing

@Suite("Secrets before they are recorded")
struct SecretMaskTests {
    private static func masked(_ parts: [String]) -> String {
        var mask = SecretMask()
        var bytes: [UInt8] = []
        for part in parts {
            let outcome = mask.masked(.arrived(CallNumber(1), .body(Array(part.utf8))))
            if case .arrived(_, .body(let part)) = outcome { bytes += part }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let answer =
        #"data: {"access_token" : "a\"b\\","note":"token","list":["token","x"],"token":7,"Refresh-Token":"c","n":":"}"#
    private static let expected =
        #"data: {"access_token" : "<secret>","note":"token","list":["token","x"],"token":7,"Refresh-Token":"<secret>","n":":"}"#

    @Test("L10, L9: the value of a secret's member is left out, wherever the bytes are split")
    func splits() {
        #expect(Self.masked([Self.answer]) == Self.expected)
        for index in Self.answer.indices {
            #expect(
                Self.masked([String(Self.answer[..<index]), String(Self.answer[index...])]) == Self.expected)
        }
        #expect(Self.masked(Self.answer.map { String($0) }) == Self.expected)
    }

    @Test("L10: two answers that arrive in turn do not disturb each other, and an ended one is forgotten")
    func calls() {
        var mask = SecretMask()
        func body(_ number: UInt64, _ text: String) -> Outcome {
            mask.masked(.arrived(CallNumber(number), .body(Array(text.utf8))))
        }
        #expect(body(1, #"{"token":"#) == .arrived(CallNumber(1), .body(Array(#"{"token":"#.utf8))))
        #expect(body(2, #""plain""#) == .arrived(CallNumber(2), .body(Array(#""plain""#.utf8))))
        #expect(body(1, #""s"}"#) == .arrived(CallNumber(1), .body(Array(#""<secret>"}"#.utf8))))
        _ = body(3, #"{"token":"#)
        _ = mask.masked(.arrived(CallNumber(3), .ended(.failed(.lost))))
        #expect(body(3, #""plain""#) == .arrived(CallNumber(3), .body(Array(#""plain""#.utf8))))
    }

    @Test("L10: every name that ends in that of a secret holds one; a count does not")
    func names() {
        let answer =
            #"{"auth":{"deviceToken":"t0ken","x-goog-api-key":"k","client_secret":"s"},"type":"token","#
            + #""max_tokens":"7","tokens":"8","secretary":"Bo"}"#
        let expected =
            #"{"auth":{"deviceToken":"<secret>","x-goog-api-key":"<secret>","client_secret":"<secret>"},"#
            + #""type":"token","max_tokens":"7","tokens":"8","secretary":"Bo"}"#
        #expect(Self.masked([answer]) == expected)
    }

    private static let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0))

    private static func machine() -> Machine<ClawlineBackend> {
        let app = ChatApp(
            pairing: Pairing(configuration: .init(device: DeviceInfo(platform: "iOS", model: "x"))))
        return Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment, entropy: .seeded(1))
    }

    @Test("L8: the answer of a call that the machine closes is forgotten")
    func closed() {
        var journal = Journal<ClawlineBackend>()
        var machine = Self.machine()
        func body(_ text: String) -> Journal<ClawlineBackend>.Input {
            .received(.arrived(CallNumber(1), .body(Array(text.utf8))))
        }
        machine.outbox = [.close(CallNumber(1))]
        journal.append(body(#"{"token":"#), at: Self.moment, machine)
        journal.append(body(#""plain""#), at: Self.moment, machine)
        #expect(journal.take().map { $0.input } == [body(#"{"token":"#), body(#""plain""#)])
    }

    @Test("L10: a header that holds a secret is left out")
    func headers() {
        var mask = SecretMask()
        let masked = mask.masked(
            .arrived(
                CallNumber(1), .head(status: 200, headers: [Header("set-cookie", "s=1"), Header("x", "y")])))
        let headers = [Header("set-cookie", "<secret>"), Header("x", "y")]
        #expect(masked == .arrived(CallNumber(1), .head(status: 200, headers: headers)))
    }

    @Test("L10: a secret under names that nobody knows is found at each place when it is saved")
    func unknownName() {
        var journal = Journal<ClawlineBackend>()
        var machine = Self.machine()
        let path = RecordPath(["secrets", "1"], protection: .secret)
        machine.outbox = [.save(StorageTicket(1), path, .secret(Secret("a\"b")))]
        let arrival = Arrival.text(Array(#"{"key":"a\"b","note":"a","again":"a\"b"}"#.utf8))
        journal.append(.received(.arrived(CallNumber(1), arrival)), at: Self.moment, machine)
        let expected = Arrival.text(Array(#"{"key":"<secret>","note":"a","again":"<secret>"}"#.utf8))
        #expect(journal.take().map { $0.input } == [.received(.arrived(CallNumber(1), expected))])
        #expect(journal.entries.isEmpty)
    }
}
