// The words in which the tests of smart replies speak.

@testable import ChatDomain

typealias SmartRepliesDriver = Driver<SmartReplies>

extension Driver where F == SmartReplies {
    static let target = SmartReplies.Target(conversation: "talk", message: "m1", text: "Dinner?")

    static func ready(_ change: (inout SmartReplies.Configuration) -> Void = { _ in }) -> Self {
        var configuration = SmartReplies.Configuration()
        change(&configuration)
        return Driver(
            SmartReplies(configuration: configuration),
            state: SmartReplies.State(configuration: configuration, access: StreamingDriver.access))
    }

    /// A suggestion was asked for, and the stream is open.
    static func asked(
        _ kind: SmartReplies.Kind = .short, _ change: (inout SmartReplies.Configuration) -> Void = { _ in }
    ) -> Self {
        var driver = ready(change)
        driver.send(.requested(kind, target))
        return driver
    }

    @discardableResult
    mutating func hear(_ event: Streaming.Event) -> [SmartReplies.Effect] {
        guard let call = calls.last?.call else { return [] }
        return send(.received(event, on: call))
    }

    @discardableResult
    mutating func lose(_ end: CallEnd = .failed(.lost)) -> [SmartReplies.Effect] {
        guard let call = calls.last?.call else { return [] }
        return self.end(call, end)
    }

    /// Asks and answers at once.
    mutating func suggest(
        _ text: ExactText, _ kind: SmartReplies.Kind = .short,
        for target: SmartReplies.Target = SmartRepliesDriver.target
    ) {
        send(.requested(kind, target))
        hear(.token(text))
        hear(.done(nil, nil))
    }

    var panel: SmartReplies.Panel { feature.panel(state, in: "talk", .neutral) }

    /// How many buttons can be tapped.
    var enabled: Int { panel.buttons.count { $0.isEnabled } }

    /// The kinds that are marked as the current one.
    var current: [SmartReplies.Kind] { panel.buttons.filter { $0.isCurrent }.map { $0.kind } }

    var selected: String? { state.selected?.string }

    /// The kind that the open call asks for.
    var askedKind: SmartReplies.Kind? {
        switch calls.last?.request {
        case .stream(let question, _), .whole(let question, _):
            if case .smartReply(let kind) = question.purpose { kind } else { nil }
        case .refreshCredentials, nil: nil
        }
    }
}
