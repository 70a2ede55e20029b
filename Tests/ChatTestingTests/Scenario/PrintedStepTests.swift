// The steps in the message of a broken law are pasted into a test. The lists of this file are such steps, compiled: each
// is compared with what is printed for its values.

@testable import ChatDomain
import ChatEffects
import Foundation
import Testing

@testable import ChatTesting

@Suite("Printed steps")
struct PrintedStepTests {
    private static let pairing: [MachineStep<Pairing>] = [
        .person(.nameEdited("Kay \"1\"")),
        .person(.approved("other", as: nil)),
        .person(.linkOpened(Attempt(number: 9))),
        .person(
            .stored(
                .loaded(
                    .request(
                        PendingRequest(
                            name: "Kay", submitted: WallTime(nanosecondsSince1970: 7),
                            pacing: Pacing(asked: [], notBefore: nil, written: nil),
                            secrets: [SecretHandle("old")], left: [], erased: ["bo"]))),
                under: .secret(SecretHandle("old")), Attempt(number: 3))),
        .event(.granted(Secret("secret"), "kay", isAdmin: true), call: 0),
        .event(
            .requested(
                PairingRequest(
                    device: "other", claimedName: "Bo",
                    info: DeviceInfo(
                        platform: "iOS", model: "iPhone", systemVersion: nil, appVersion: "1.0"))), call: 1),
        .arrival(.head(status: 401, headers: [Header("retry-after", "3")]), call: 0),
        .arrival(.body([123, 125]), call: 0),
        .end(.refused(status: 429, retryAfter: .milliseconds(1_500), message: "later"), call: 0),
        .storage(.answered, operation: 0),
        .storage(.failed(.newer(version: 9)), operation: 1),
        .clock(.deadline),
        .clock(.by(Interval(nanoseconds: 1))),
        .draws(greatest: true),
        .relaunch(writesDone: 1, beginning: 0),
    ]

    private static let chat: [MachineStep<Chat>] = [
        .person(
            .signedIn(Account(user: "kay", secret: SecretHandle("token"), device: "device", expires: nil))),
        .person(
            .attachmentPicked(
                PickedFile(kind: .image, mimeType: "image/png", name: "a.png", bytes: [1, 2, 3]))),
        .person(.retried(.answer(to: "c_1"))),
        .event(.deferred("c_1", after: .seconds(2)), call: 0),
        .event(
            .message(
                IncomingMessage(
                    id: "m_1", conversation: "c_1", client: nil, role: .assistant, text: "Hi",
                    time: WallTime(nanosecondsSince1970: 1_790_000_000_000_000_000), device: "device",
                    isGrowing: false,
                    files: [
                        IncomingFile(
                            kind: .asset, mimeType: "text/plain", name: "a.txt", byteCount: 3, asset: "a_1")
                    ], sender: nil, flags: ["x"], question: "q_1")), call: 0),
        .event(
            .streamed(.refreshed(Streaming.Access(secret: SecretHandle("next"), expires: nil))), call: 0),
        .event(.streamed(.done("m_1", Usage(prompt: 1, completion: 2, total: 3))), call: 0),
        .end(.closed(code: 1_000, reason: "bye"), call: 0),
        .storage(.answered, operation: 0),
        .clock(.afterDeadline),
    ]

    private static let streaming: [MachineStep<Streaming>] = [
        .person(
            .asked(
                Streaming.Question(
                    conversation: "c_1", client: "q_1", key: "q_1", text: "why",
                    purpose: .smartReply(.own("dry")),
                    earlier: [Streaming.PromptMessage(role: .user, text: "so")], person: nil),
                keeping: LongText("old")))
    ]

    // swift-format-ignore: NeverForceUnwrap
    private static let marks: [MachineStep<Marks>] = [
        .person(.chosen([.blue, .red])),
        .person(.chosen([])),
        .person(.placed(["a": Marks.Spot<Int>.Edge(offset: 3)], Marks.Nowhere())),
        .person(.scored(Points(of: 3))),
        .person(.patched(name: nil)),
        .person(.patched(name: .some(nil))),
        .person(.patched(name: "Kay")),
        .person(.preferred(nil)),
        .person(.preferred(.some(.none))),
        .person(.struckOut("\"")),
        .person(.cut("a b")),
        .person(.selected(0..<9_223_372_036_854_775_807)),
        .person(.marked(-2...(-1))),
        .person(.opened(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!)),
        .person(.visited(URL(string: "b?c", relativeTo: URL(string: "https://a.example/")!)!)),
        .person(.dated(Date(timeIntervalSinceReferenceDate: 1.5))),
        .person(.attached(Data([1, 2]))),
        .person(.paid(Decimal(string: "1.1")!)),
        .person(.failed(.offline)),
        .event(.blue, call: 0),
        .end(.completed, call: 0),
    ]

    private static let numbers: [MachineStep<Marks>] = [
        .person(.measured(1.5)),
        .person(.measured(.infinity)),
        .person(.measured(-.infinity)),
        .person(.measured(.nan)),
        .person(.weighed(0.1)),
        .person(.weighed(.nan)),
        .person(.priced(Marks.Price(cents: 3))),
        .person(.dated(Date(timeIntervalSinceReferenceDate: .infinity))),
        .person(.paid(.nan)),
        .person(.waited(.seconds(3))),
        .person(
            .waited(
                Duration(secondsComponent: -1, attosecondsComponent: -500_000_000_000_000_000))),
    ]

    @Test("a step is printed as the source text that gives it")
    func source() throws {
        try check("pairing", Self.pairing)
        try check("chat", Self.chat)
        try check("streaming", Self.streaming)
        try check("marks", Self.marks)
        try check("numbers", Self.numbers)
    }

    @Test("L10: no secret is printed")
    func secret() {
        let step = MachineStep<Pairing>.event(.granted(Secret("top"), "kay", isAdmin: true))
        #expect(!Rendering.source(of: step).contains("top"))
    }

    @Test("an optional without a value in an optional differs from none")
    func nestedOptional() throws {
        let (expected, actual): (String??, String??) = (.some(nil), nil)
        let places = Difference.places(expected as Any, actual as Any, Rendering())
        #expect(places.map { $0.expected } == [".some(nil)"] && places.map { $0.actual } == ["nil"])
        let (empty, filled): (Int??, Int??) = (.some(nil), .some(3))
        let place = Difference.places(empty as Any, filled as Any, Rendering())
        #expect(place.map { $0.expected } == [".some(nil)"] && place.map { $0.actual } == ["3"])
    }

    @Test("a range without an end is printed as one")
    func endless() {
        #expect(Rendering.source(of: 3...) == "3..." && Rendering.source(of: ..<(-3)) == "..<(-3)")
    }

    @Test("a value without a known source text is printed as a placeholder, which does not compile")
    func placeholder() {
        #expect(Rendering.source(of: Marks.Hidden.one) == "<#Marks.Hidden \"No. 1\"#>")
        #expect(Rendering.source(of: Marks.Reflected(number: 2)) == "<#Marks.Reflected \"No. 2\"#>")
    }

    @Test("a struct with a lazy property is printed as a placeholder")
    func lazyProperty() {
        #expect(Rendering.source(of: Marks.Sheet(number: 1)).hasPrefix("<#Marks.Sheet "))
    }

    @Test("a case or label whose name is a keyword is printed in backticks where Swift needs them")
    func keywords() {
        typealias Word = Marks.Word
        let words: [Word] = [.`init`, .`self`, .`Type`, .default, .pair(1, `inout`: 2, for: 3)]
        #expect(
            words.map { Rendering.source(of: $0) }
                == [".`init`", ".`self`", ".`Type`", ".default", ".pair(1, `inout`: 2, for: 3)"])
    }

    @Test("the name of a law is printed as the source text that gives it")
    func law() {
        let violation = Violation<SearchTests.Lamp>(#"matches \d+ "now""#, "", [])
        #expect(violation.test.contains(##"@Test("matches \\d+ \"now\"")"##), "\(violation.test)")
    }

    /// Compares the printed steps with a list of this file, but for the breaks of lines and the groups of digits.
    private func check<Subject>(_ name: String, _ steps: [MachineStep<Subject>]) throws {
        let file = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        let list = try #require(file.range(of: " \(name): [MachineStep<"))
        let rest = file[list.upperBound...]
        let start = try #require(rest.range(of: "= [\n"))
        let end = try #require(rest.range(of: "\n    ]\n"))
        func packed(_ text: some StringProtocol) -> String {
            String(text.filter { !$0.isWhitespace && $0 != "_" })
        }
        let printed = packed(steps.map { Rendering.source(of: $0) }.joined(separator: ","))
        let written = packed(rest[start.upperBound..<end.lowerBound])
        #expect(printed == (written.hasSuffix(",") ? String(written.dropLast()) : written))
    }
}

/// A feature whose values need care: a set, nested structs, and one with an initialiser of its own.
private struct Marks: Feature {
    enum Colour: DomainValue { case red, blue }

    enum Spot<Offset: DomainValue> {
        struct Edge: DomainValue { let offset: Offset }
    }

    enum Preference: DomainValue { case none, short }

    enum Trouble: DomainValue, CustomStringConvertible {
        case offline

        var description: String { "You are offline." }
    }

    /// An enum whose description hides its case, and which has no coded form.
    enum Hidden: CustomStringConvertible {
        case one

        var description: String { "No. 1" }
    }

    /// A struct that shows no part of itself.
    struct Reflected: CustomReflectable, CustomStringConvertible {
        let number: Int
        var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
        var description: String { "No. \(number)" }
    }

    /// An enum with keywords as names.
    enum Word {
        case `init`, `self`, `Type`, `default`
        case pair(Int, `inout`: Int, for: Int)
    }

    /// A struct whose initialiser takes fewer values than it has parts.
    struct Sheet {
        let number: Int
        lazy var text = "No. \(number)"
    }

    /// A number with a text that does not give it.
    struct Price: DomainValue, Numeric, CustomStringConvertible {
        var cents: Int64
        var magnitude: UInt64 { cents.magnitude }
        var description: String { "\(cents) ct" }

        init(cents: Int64) { self.cents = cents }
        init(integerLiteral cents: Int64) { self.cents = cents }
        init?<Source: BinaryInteger>(exactly source: Source) {
            guard let cents = Int64(exactly: source) else { return nil }
            self.cents = cents
        }

        static func + (one: Price, other: Price) -> Price { Price(cents: one.cents &+ other.cents) }
        static func - (one: Price, other: Price) -> Price { Price(cents: one.cents &- other.cents) }
        static func * (one: Price, other: Price) -> Price { Price(cents: one.cents &* other.cents) }
        static func *= (one: inout Price, other: Price) { one = one * other }
    }

    struct Nowhere: DomainValue {}
    struct State: DomainValue {}

    enum Action: FeatureAction {
        case chosen(Set<Colour>)
        case placed([String: Spot<Int>.Edge], Nowhere)
        case scored(Points)
        case patched(name: String??)
        case preferred(Preference?)
        case struckOut(Character)
        case cut(Substring)
        case selected(Range<Int>)
        case marked(ClosedRange<Int>)
        case opened(UUID)
        case visited(URL)
        case dated(Date)
        case attached(Data)
        case paid(Decimal)
        case failed(Trouble)
        case measured(Double)
        case weighed(Float)
        case priced(Price)
        case waited(Duration)
        case received(Colour, on: Never)
        case ended(Never, CallEnd)
        case stored(StorageAnswer<Never>, under: Never, Attempt)
        case timerFired(Never)
    }

    typealias Call = Never
    typealias Request = Never
    typealias Frame = Never
    typealias Event = Colour
    typealias Key = Never
    typealias Record = Never
    typealias Timer = Never

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] { [] }
}
