import ChatDomain
import ChatEffects
import Foundation
import Testing

@Suite("Intents")
struct IntentTests {
    private func intent(_ text: String) throws -> ChatApp.Action {
        try ChatApp.Action(intent: #require(jsonValue(text)))
    }

    static let intents: [(ChatApp.Action, String)] = [
        (.launched, #"{"intent":"launched"}"#),
        (.networkChanged(isUp: false), #"{"intent":"networkChanged","isUp":false}"#),
        (.foregrounded, #"{"intent":"foregrounded"}"#),
        (.memoryWarned, #"{"intent":"memoryWarned"}"#),
        (.dataErased, #"{"intent":"dataErased"}"#),
        (.backgrounded, #"{"intent":"backgrounded"}"#),
        (.pairing(.launched), #"{"intent":"pairing.launched"}"#),
        (.pairing(.nameEdited("Ada")), #"{"intent":"pairing.nameEdited","text":"Ada"}"#),
        (.pairing(.submitted), #"{"intent":"pairing.submitted"}"#),
        (.pairing(.cancelled), #"{"intent":"pairing.cancelled"}"#),
        (.pairing(.retried), #"{"intent":"pairing.retried"}"#),
        (.pairing(.signedOut), #"{"intent":"pairing.signedOut"}"#),
        (.pairing(.approved("d", as: "u")), #"{"intent":"pairing.approved","device":"d","user":"u"}"#),
        (.pairing(.approved("d", as: nil)), #"{"intent":"pairing.approved","device":"d"}"#),
        (.pairing(.denied("d", reason: nil)), #"{"intent":"pairing.denied","device":"d"}"#),
        (.pairing(.denied("d", reason: "no")), #"{"intent":"pairing.denied","device":"d","reason":"no"}"#),
        (.pairing(.noticeDismissed), #"{"intent":"pairing.noticeDismissed"}"#),
        (.chat(.shown), #"{"intent":"chat.shown"}"#),
        (.chat(.left), #"{"intent":"chat.left"}"#),
        (.chat(.draftEdited("e\u{301}\0")), "{\"intent\":\"chat.draftEdited\",\"text\":\"e\u{301}\\u0000\"}"),
        (.chat(.sent), #"{"intent":"chat.sent"}"#),
        (.chat(.reconnectRequested), #"{"intent":"chat.reconnectRequested"}"#),
        (.chat(.olderRequested), #"{"intent":"chat.olderRequested"}"#),
        (.chat(.bannerDismissed), #"{"intent":"chat.bannerDismissed"}"#),
        (
            .chat(
                .attachmentPicked(
                    PickedFile(kind: .image, mimeType: "image/png", name: "n", bytes: [1, 2, 3]))),
            #"{"intent":"chat.attachmentPicked","kind":"image","mimeType":"image/png","name":"n","base64":"AQID"}"#
        ),
        (.chat(.attachmentRemoved("f")), #"{"intent":"chat.attachmentRemoved","id":"f"}"#),
        (.chat(.retried(.written("c"))), #"{"intent":"chat.retried","client":"c"}"#),
        (.chat(.deleted(.received("s"))), #"{"intent":"chat.deleted","id":"s"}"#),
        (.chat(.deleted(.unnamed(-3))), #"{"intent":"chat.deleted","ordinal":-3}"#),
        (.chat(.messageEdited("c", "x")), #"{"intent":"chat.messageEdited","client":"c","text":"x"}"#),
        (.chat(.heldApproved("c")), #"{"intent":"chat.heldApproved","client":"c"}"#),
        (.chat(.replyStopped(.received("s"))), #"{"intent":"chat.replyStopped","id":"s"}"#),
        (
            .chat(.conversationCreated(title: "Work")),
            #"{"intent":"chat.conversationCreated","title":"Work"}"#
        ),
        (.chat(.conversationSwitched(to: "v")), #"{"intent":"chat.conversationSwitched","id":"v"}"#),
        (.chat(.conversationClosed("v")), #"{"intent":"chat.conversationClosed","id":"v"}"#),
        (.chat(.waitingStopped), #"{"intent":"chat.waitingStopped"}"#),
        (.chat(.scrolled(isAtEnd: true)), #"{"intent":"chat.scrolled","isAtEnd":true}"#),
        (.chat(.deleted(.answer(to: "c"))), #"{"intent":"chat.deleted","answers":"c"}"#),
        (.assistant(.opened), #"{"intent":"assistant.opened"}"#),
        (.assistant(.closed), #"{"intent":"assistant.closed"}"#),
        (.assistant(.draftEdited("Why")), #"{"intent":"assistant.draftEdited","text":"Why"}"#),
        (.assistant(.exampleTapped("Who")), #"{"intent":"assistant.exampleTapped","text":"Who"}"#),
        (.assistant(.sent), #"{"intent":"assistant.sent"}"#),
        (
            .assistant(.retried(QuestionID(number: .max))),
            #"{"intent":"assistant.retried","question":"18446744073709551615"}"#
        ),
        (.assistant(.logInDismissed), #"{"intent":"assistant.logInDismissed"}"#),
        (suggestion(.funny), suggestion(#""funny""#)),
        (suggestion(.own("funny")), suggestion(#"{"own":"funny"}"#)),
        (.smartReplies(.retried), #"{"intent":"smartReplies.retried"}"#),
        (.smartReplies(.taken), #"{"intent":"smartReplies.taken"}"#),
        (.smartReplies(.dismissed), #"{"intent":"smartReplies.dismissed"}"#),
        (.smartReplies(.left), #"{"intent":"smartReplies.left"}"#),
    ]

    private static func suggestion(_ kind: SmartReplies.Kind) -> ChatApp.Action {
        .smartReplies(.requested(kind, .init(conversation: "v", message: "m", text: "Hi")))
    }

    private static func suggestion(_ kind: String) -> String {
        #"{"intent":"smartReplies.requested","kind":"# + kind
            + #","conversation":"v","message":"m","text":"Hi"}"#
    }

    @Test("every name of an intent in the sources is among those tested here")
    func completeness() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/ChatEffects/Records/Border")
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let source = try String(contentsOf: file, encoding: .utf8)
            for part in source.components(separatedBy: "object.intent(\"").dropFirst() {
                names.insert(String(part.prefix { $0 != "\"" }))
            }
        }
        let tested = try Self.intents.map { try #require(jsonValue($0.1)?["intent"]?.string?.string) }
        #expect(names.count > 30)
        #expect(names == Set(tested))
    }

    @Test("intents have exactly these bytes", arguments: intents)
    func exact(_ action: ChatApp.Action, _ text: String) throws {
        var bytes: [UInt8] = []
        #expect(action.encodeIntent(into: &bytes))
        #expect(ExactText(jsonText(bytes)) == ExactText(text))
        #expect(try intent(text) == action)
    }

    @Test("random text in an intent comes back to the byte")
    func randomTexts() throws {
        var random = JSONRandom(state: 21)
        for _ in 0..<100 {
            for action in [
                ChatApp.Action.chat(.draftEdited(random.text())), .pairing(.nameEdited(random.text())),
                .pairing(.denied(random.identifier(), reason: random.maybe { $0.text() })),
                .pairing(.approved(random.identifier(), as: random.identifier())),
            ] {
                var bytes: [UInt8] = []
                #expect(action.encodeIntent(into: &bytes))
                #expect(try ChatApp.Action(intent: readJSON(bytes).get()) == action)
            }
        }
    }

    @Test(
        "L10: events between features and answers of the world are no intents",
        arguments: [
            .pairing(.networkReturned), .pairing(.credentialsRefused(.tokenExpired)),
            .pairing(.linkOpened(Attempt(number: 1))), .pairing(.linkClosed(Attempt(number: 1))),
            .pairing(
                .received(.granted(Secret("eyJtoken"), "u", isAdmin: true), on: .ask(Attempt(number: 1)))),
            .pairing(.timerFired(.retry)), .chat(.signedOut), .chat(.foregrounded), .chat(.backgrounded),
            .chat(.networkChanged(isUp: true)), .chat(.timerFired(.rate)), .timerFired(.chat(.rate)),
            .chat(.signedIn(Account(user: "u", secret: SecretHandle("s"), device: "d"))),
            .ended(.chat(.socket(Attempt(number: 1))), .completed),
        ] as [ChatApp.Action])
    func noIntents(_ action: ChatApp.Action) {
        var bytes: [UInt8] = []
        #expect(!action.encodeIntent(into: &bytes))
        #expect(bytes.isEmpty)
    }

    @Test(
        "an error of an intent names its place",
        arguments: [
            ("7", FieldError("intent", .wrongKind)),
            ("{}", FieldError("intent", .missing)),
            (#"{"intent":null}"#, FieldError("intent", .wrongKind)),
            (#"{"intent":"chat.signedOut"}"#, FieldError("intent", .unknownWord("chat.signedOut"))),
            (#"{"intent":"shown"}"#, FieldError("intent", .unknownWord("shown"))),
            (#"{"intent":"chat.draftEdited"}"#, FieldError("text", .missing)),
            (#"{"intent":"chat.draftEdited","text":7}"#, FieldError("text", .wrongKind)),
            (#"{"intent":"pairing.denied","device":"d","reason":1}"#, FieldError("reason", .wrongKind)),
            (#"{"intent":"networkChanged","isUp":1}"#, FieldError("isUp", .wrongKind)),
        ])
    func namesWhatIsWrong(_ text: String, _ error: FieldError) {
        #expect(throws: error) { try intent(text) }
    }

    @Test(
        "a further field is refused by its name, wherever it stands",
        arguments: [
            (#"{"intent":"chat.sent","text":"x"}"#, "text"),
            (#"{"intent":"chat.deleted","client":"c","id":"s"}"#, "id"),
            (#"{"intent":"chat.draftEdited","text":"x","urgent":true}"#, "urgent"),
            (suggestion(#"{"own":"x","tone":"dry"}"#), "tone"),
        ] as [(String, ExactText)])
    func refusesFurtherFields(_ text: String, _ field: ExactText) {
        #expect(throws: FieldError(field, .unexpected)) { try intent(text) }
    }

    @Test(
        "every field of every intent is needed, has one type, and stands alone; an error names it",
        arguments: intents)
    func needsEachField(_ action: ChatApp.Action, _ text: String) throws {
        let whole = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        func fails(_ fields: [String: Any]) throws -> FieldError? {
            let bytes = [UInt8](try JSONSerialization.data(withJSONObject: fields))
            do {
                _ = try ChatApp.Action(intent: readJSON(bytes).get())
                return nil
            } catch let error as FieldError { return error }
        }
        #expect(try fails(whole) == nil)
        #expect(try fails(whole.merging(["further": 1]) { $1 }) == FieldError("further", .unexpected))
        for name in whole.keys {
            let wrong = whole.merging([name: [[[1]]]]) { $1 }
            #expect(try fails(wrong) == FieldError(ExactText(name), .wrongKind))
            let isOptional = name == "reason" || name == "user"
            #expect(try (fails(whole.filter { $0.key != name }) == nil) == isOptional, "\(name)")
        }
    }

    @Test("an intent that is too deep or too long is refused as a whole")
    func limits() throws {
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        let long = String(repeating: "x", count: Int(JSONPolicy.defaultSize))
        for value in [deep, "\"\(long)\""] {
            let text = "{\"intent\":\"chat.draftEdited\",\"text\":\(value)}"
            #expect(throws: JSONError.self) { try readJSON(Array(text.utf8)).get() }
        }
    }

    @Test("a field that may be absent may be null")
    func takesNull() throws {
        #expect(
            try intent(#"{"intent":"pairing.denied","device":"d","reason":null}"#)
                == .pairing(.denied("d", reason: nil)))
    }

    @Test("an error can be shown")
    func describesErrors() {
        #expect(FieldError("text", .missing).description == "“text” is missing")
        #expect(FieldError("intent", .unknownWord("x")).description == "“intent” cannot be “x”")
    }
}
