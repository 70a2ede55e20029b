// The words in which the tests of the assistant speak.

@testable import ChatDomain

typealias AssistantDriver = Driver<Assistant>

extension Driver where F == Assistant {
    static let kay = account("kay")

    static func account(_ user: UserID, secret: ExactText = "secret") -> Account {
        Account(user: user, secret: SecretHandle(secret), device: "device")
    }

    /// Before the view is opened, and before anybody is signed in.
    static func fresh(_ change: (inout Assistant.Configuration) -> Void = { _ in }) -> Self {
        var configuration = Assistant.Configuration()
        change(&configuration)
        return Driver(
            Assistant(configuration: configuration), state: Assistant.State(configuration: configuration))
    }

    /// Open, with Kay signed in.
    static func open(_ change: (inout Assistant.Configuration) -> Void = { _ in }) -> Self {
        var driver = fresh(change)
        driver.signIn(kay)
        driver.send(.opened)
        return driver
    }

    /// Somebody signs in, of whose asking nothing is stored.
    mutating func signIn(_ account: Account) {
        send(.signedIn(account))
        answer(.pacing(account.user), with: .missing)
    }

    /// One question is in flight.
    static func asking(_ text: ExactText = "Why?") -> Self {
        var driver = open()
        driver.ask(text)
        return driver
    }

    @discardableResult
    mutating func ask(_ text: ExactText) -> [Assistant.Effect] {
        send(.draftEdited(text))
        return send(.sent)
    }

    mutating func ask(_ texts: [ExactText]) {
        for text in texts { ask(text) }
    }

    /// The open call brings something.
    @discardableResult
    mutating func hear(_ event: Assistant.Event) -> [Assistant.Effect] {
        guard let call = calls.last?.call else { return [] }
        return send(.received(event, on: call))
    }

    @discardableResult
    mutating func answer(
        _ text: ExactText = "Because.", conversation: ConversationID? = "c1", time: WallTime? = nil,
        tokens: Int64? = nil
    ) -> [Assistant.Effect] {
        hear(.answered(text, conversation: conversation, time: time, tokens: tokens))
    }

    /// The open call breaks.
    @discardableResult
    mutating func lose(_ end: CallEnd) -> [Assistant.Effect] {
        guard let call = calls.last?.call else { return [] }
        return self.end(call, end)
    }

    @discardableResult
    mutating func refuse(
        _ status: Int64, retryAfter: Interval? = nil, _ message: ExactText = ""
    ) -> [Assistant.Effect] {
        lose(.refused(status: status, retryAfter: retryAfter, message: message))
    }

    var rows: [Assistant.Row] { Assistant.rows(state, .neutral) }

    /// The text of every bubble, answers with an arrow.
    var bubbles: [ExactText] {
        rows.map { row in
            switch row.id {
            case .question: row.text
            case .answer: ExactText("→ " + row.text.string)
            }
        }
    }

    /// The marks of the questions, in order.
    var marks: [Assistant.Mark?] {
        rows.compactMap { row -> Assistant.Mark?? in
            switch row.id {
            case .question: .some(row.mark)
            case .answer: nil
            }
        }
    }

    /// The text of the question that is in flight.
    var asked: ExactText? {
        if case .ask(let text, _, _, _) = calls.last?.request { text } else { nil }
    }

    /// The conversation that it names.
    var askedConversation: ConversationID? {
        if case .ask(_, let conversation, _, _) = calls.last?.request { conversation } else { nil }
    }

    var composer: Assistant.Composer { Assistant.composer(state, .neutral) }
    var wantsLogIn: Bool { Assistant.wantsLogIn(state) }
    var indicator: ExactText? { Assistant.indicator(state, .neutral) }

    /// The name of the question at a place.
    func question(_ index: Int) -> QuestionID? {
        let ids = rows.compactMap { row in
            if case .question(let id) = row.id { id } else { nil }
        }
        return index < ids.count ? ids[index] : nil
    }

    @discardableResult
    mutating func retry(_ index: Int) -> [Assistant.Effect] {
        question(index).map { send(.retried($0)) } ?? []
    }
}

extension Assistant.Mark {
    static let thinking = Assistant.Mark.thinking("AI is thinking...")
    static let stillThinking = Assistant.Mark.thinking("This may take a moment...")
    static let throttled = Assistant.Mark.awaitingSlot(Wording.neutral.awaitingSlot)
    static func failed(_ sentence: ExactText) -> Self { .failed(sentence, retry: "Retry") }
    static let timedOut = failed("Request took too long. Try asking in a different way.")
    static let offline = failed("No internet connection. Check your network and try again.")
    static let notSignedIn = failed("Please log in to use AI assistant")
    static let unavailable = failed("AI assistant is temporarily unavailable. Try again in a moment.")
    static let other = failed("Something went wrong. Please try again.")
}
