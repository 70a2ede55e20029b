// What may happen to chat in the sessions of the normal forms, on either carriage.

@testable import ChatDomain
import ChatEffects

private func pick<Element>(_ dice: inout Entropy, _ elements: [Element]) -> Element {
    elements[Int(dice.next() % UInt64(elements.count))]
}

extension Story where F == Chat {
    static func chat(onSocket: Bool) -> Story {
        let streams = Streaming.Configuration(hasFallback: true, canRefresh: true)
        var configuration = Chat.Configuration(carriage: onSocket ? .socket : .streams(streams))
        configuration.sending = Throttle.Configuration(limit: 2, window: .seconds(20))
        configuration.authentications = Throttle.Configuration(limit: 2, window: .seconds(20))
        configuration.pageLength = 2
        return Story(
            feature: Chat(configuration: configuration), state: Chat.State(configuration: configuration),
            person: { state, tag, dice in action(state, tag, &dice) },
            event: { call, state, now, tag, dice in
                switch call {
                case .socket: socketed(state, now, tag, &dice)
                case .upload: pick(&dice, [.uploadProgress(sent: 1, of: 2), .uploaded("a_1")])
                case .stream:
                    .streamed(
                        pick(
                            &dice,
                            [
                                .began("m_1"), .token("a"), .token("b"), .done("m_1", nil), .failed("sorry"),
                                .limited(until: now.wall + .seconds(9)), .whole("all", "m_1", nil),
                                .refreshed(Streaming.Access(secret: SecretHandle(ExactText("n\(tag)")))),
                            ]))
                }
            },
            waits: [
                Interval(nanoseconds: 1), .milliseconds(75), .seconds(1), .seconds(5), .seconds(21),
                .seconds(70),
            ])
    }

    private static func action(_ state: Chat.State, _ tag: Int, _ dice: inout Entropy) -> Chat.Action {
        let account = Account(
            user: dice.next() % 6 == 0 ? "bo" : "kay", secret: SecretHandle(fresh(&dice)),
            device: DeviceID("d\(tag)"))
        let clients = state.conversation.transcript.rows.compactMap { $0.value.wrappedValue.client }
        let rarely: [Chat.Action] = [
            .left, .signedOut, .networkChanged(isUp: false), .backgrounded, .memoryWarned,
            .reconnectRequested,
            .conversationCreated(title: "new"), .attachmentPicked(file), .bannerDismissed,
            .conversationSwitched(to: pick(&dice, state.conversations.map { $0.id })), .waitingStopped,
            .conversationClosed(pick(&dice, state.conversations.map { $0.id })), .scrolled(isAtEnd: false),
        ]
        let often: [Chat.Action] = [
            .shown, .signedIn(account), .signedIn(state.account ?? account), .draftEdited("hi"),
            .draftEdited("ho"), .sent, .sent,
            .sent, .foregrounded, .networkChanged(isUp: true),
            clients.isEmpty ? .sent : .retried(.written(pick(&dice, clients))),
            clients.isEmpty ? .sent : .deleted(.written(pick(&dice, clients))),
        ]
        return dice.next() % 3 == 0 ? pick(&dice, rarely) : pick(&dice, often)
    }

    private static var file: PickedFile {
        PickedFile(kind: .image, mimeType: "image/png", name: "a.png", bytes: [1, 2, 3])
    }

    private static func socketed(
        _ state: Chat.State, _ now: Moment, _ tag: Int, _ dice: inout Entropy
    ) -> Chat.Event {
        let client = state.conversation.outbox.keyOut ?? "nobody"
        let id: MessageID = pick(&dice, ["m_1", "m_2", "m_3"])
        let role: Chat.Role = pick(&dice, [.user, .assistant])
        let message = IncomingMessage(
            id: id, conversation: pick(&dice, [.main, .main, "c_2"]), role: role,
            text: pick(&dice, ["hi", "ho"]), time: now.wall,
            device: pick(&dice, [nil, DeviceID("d\(tag)"), "d"]),
            isGrowing: dice.next() % 3 == 0)
        return pick(
            &dice,
            [
                .opened, .opened, .authenticated(replayCount: 0, isTruncated: false, isReset: false),
                .authenticated(replayCount: 0, isTruncated: false, isReset: false),
                .authenticated(replayCount: 1, isTruncated: false, isReset: dice.next() % 2 == 0),
                .acknowledged(client), .acknowledged(client), .rejected(client, reason: "no"),
                .deferred(client),
                .message(message), .message(message), .message(message), .delta(id, "x"),
                .chunk(id, index: Int64(dice.next() % 3), "y", isFinal: false), .alive, .gap, .refetched,
                .typing(isActive: true, at: now.wall), .replyFailed(.question(client), reason: "no"),
                .sessionReplaced,
            ])
    }
}
