// Chat, explored in parts, each small enough for a search: the connection, sending over a socket with the server's
// view, receiving, streams, and the disk.

import ChatDomain
import ChatEffects

extension Chat: Explorable {}

extension Chat.Configuration {
    /// Durations that are multiples of 10 s, so that few distances of time are reached, and limits of one or two.
    static func brief(_ carriage: Chat.Carriage = .socket) -> Self {
        let step = Interval.seconds(10)
        var configuration = Chat.Configuration(carriage: carriage)
        configuration.connectLimit = step
        configuration.authenticationLimit = step
        configuration.replayLimits = step * 2...step * 2
        configuration.replayProgressLimit = step
        configuration.livenessLimit = step * 2
        configuration.backoff = Backoff.Configuration(first: step, greatest: step, jitter: .zero, limit: 2)
        configuration.authentications = .unlimited
        configuration.stableAfter = step
        configuration.toldWaitLimit = step
        configuration.backgroundGrace = step
        configuration.backgroundForgets = step * 2
        configuration.sending = .unlimited
        configuration.slowAfter = step
        configuration.lostAfterSlow = step
        configuration.deferral = step...step
        configuration.replyLimit = step * 2
        configuration.silenceLimit = step
        configuration.totalLimit = step * 2
        configuration.storageLimit = step
        configuration.draftDelay = step
        configuration.chunkGapLimit = step
        configuration.refetchLimit = step
        configuration.typingLimit = step
        configuration.typingInterval = step
        configuration.heldAfter = step * 2
        configuration.outboxLimit = 2
        configuration.replyTextLimit = 2
        configuration.chunkLimit = 1
        configuration.growingLimit = 1
        configuration.transcriptLimit = 4
        configuration.pageLength = 2
        return configuration
    }

    /// Longer than each age that such a configuration has compared.
    fileprivate static var briefAge: Interval { .seconds(40) }
}

extension Explore where Codec == Uncoded<Chat> {
    /// A connection: opened, authenticated, replayed, lost, in the background and without a network.
    static var connection: Explore {
        var configuration = Chat.Configuration.brief()
        configuration.authentications = Throttle.Configuration(limit: 2, window: .seconds(30))
        return chat(
            configuration,
            [
                .person(
                    .shown, .left, .networkChanged(isUp: false), .networkChanged(isUp: true), .foregrounded,
                    .backgrounded, .reconnectRequested),
                .calls { _ in
                    [
                        .opened, .authenticated(replayCount: 0, isTruncated: false, isReset: false),
                        .authenticated(replayCount: 1, isTruncated: false, isReset: true), .unreadableMessage,
                        .cursorRefused, .credentialsRefused(.tokenRevoked), .sessionReplaced,
                    ]
                },
                .ends(.failed(.lost), .failed(.offline)), .promptStorage(), .clock(.deadline),
            ]
        )
        .always(.idempotent(.left))
        .always("C4: one attempt at a time, and the phase knows which") { place in
            place.openCalls == (place.state.connection.attempt.map { [.socket($0)] } ?? [])
        }
        .always("C4: nobody connects a chat that is left") { place in
            let (state, effects) = place.reduced(.left)
            return state.connection.attempt == nil && !effects.contains { $0.opens }
        }
        .leftAlone("C2: it comes to rest, connected or not") { place in
            switch place.state.connection {
            case .disconnected, .connected, .failed: true
            // Without a network there is no attempt; its return is an action.
            case .reconnecting: !place.hasDeadline
            case .connecting, .authenticating, .replaying: false
            }
        }
    }

    /// Replies that grow in three dialects over a connection, and the other events that the server pushes.
    static var receiving: Explore {
        receiving([
            .calls { Chat.pushed(at: $1.wall) }, .ends(.failed(.lost)), .person(.scrolled(isAtEnd: false)),
            .person(.bannerDismissed),
        ])
    }

    /// A reply in numbered chunks that come in any order, and signs of typing.
    static var chunks: Explore { receiving([.calls { _ in Chat.chunks }]) }

    private static func receiving(_ happenings: [Happening<Chat>]) -> Explore {
        chat(.brief(), happenings + [.promptStorage(), .clock(.deadline)])
            .connected()
            .always("C16: a message id has one row") { place in
                let ids = Chat.rows(place.state, newest: 20, .neutral).map { $0.id }
                return Set(ids).count == ids.count
            }
            .always("L8: no more replies grow than there is room for") {
                $0.state.conversation.growing.count <= 1
            }
    }

    /// A question with a stream: asked, stopped, retried, lost and left. The disk answers at once.
    static var streams: Explore {
        chat(
            .brief(.streams(.brief(hasFallback: false, canRefresh: false))),
            [
                .person(.draftEdited("a")).atMost(1), .person { $0.sendable },
                .person { $0.offered }.atMost(2), .person(.shown, .left, .waitingStopped).atMost(2),
                .person(.networkChanged(isUp: false), .networkChanged(isUp: true)).atMost(2),
                .calls { call in
                    guard case .stream(_, let stream) = call else { return [] }
                    return Streaming.likely(on: stream).map { .streamed($0) }
                },
                .ends(.failed(.lost)).atMost(1), .promptStorage(), .clock(.deadline),
            ]
        )
        .after(.person(.shown))
        .always("C15: one stream at a time a conversation") { $0.openCalls.count <= 1 }
        .always("S11: nothing is asked by a chat that is left") { place in
            !place.reduced(.left).effects.contains { $0.opens }
        }
        .leftAlone("S7: it comes to rest") { $0.openCalls.isEmpty }
    }

    /// A message that is written while the disk fails or is silent, and that only the next process finds.
    static var storage: Explore {
        chat(
            .brief(),
            [
                .person(.draftEdited("a"), .sent).atMost(2), .person { $0.offered }.atMost(1),
                .storage(.answered, .failed(.full)), .clock(.deadline),
                .relaunch(
                    { Chat.State(configuration: $0.configuration) }, then: .signedIn(Assistant.State.kay)
                )
                .atMost(1),
            ]
        )
        .always("L6: a message is shown once") { place in
            let ids = Chat.rows(place.state, newest: 20, .neutral).map { $0.id }
            return Set(ids).count == ids.count
        }
        .leftAlone("L3: it comes to rest") { !$0.hasDeadline }
    }

    private static func chat(
        _ configuration: Chat.Configuration, _ happenings: [Happening<Chat>]
    ) -> Explore {
        let drawn: [Happening<Chat>] = [.drawn { $0.drawn(&$1) }, .time(upTo: .minutes(1))]
        var explore = Explore(
            Chat(configuration: configuration), from: Chat.State(configuration: configuration),
            happenings + drawn)
        explore = explore.after(.person(.signedIn(Assistant.State.kay)))
        // The number of loads of a launch with an empty disk; a disk that answers at once has none left.
        for _ in 0..<6 { explore = explore.after(.storage(.answered)) }
        return explore.agesUpTo(Chat.Configuration.briefAge)
            .always(.everySpinnerHasALimit { chatSpinner($0, $1) })
            .always(.bounded(calls: 2, operations: 12), .bounded(operationsPerRecord: 2))
            .always(.everyTimerHasAPurpose(dismissing: .bannerDismissed) { $0.isOfPages })
            .noGhosts()
    }

    /// Connects, and replays nothing.
    fileprivate func connected() -> Explore {
        after(.person(.shown), .storage(.answered), .event(.opened))
            .after(.event(.authenticated(replayCount: 0, isTruncated: false, isReset: false)))
    }
}

extension Explore where Codec == Uncoded<ServedChat> {
    /// One message over a socket whose echoes name it: every answer, a lost connection, and two taps on its row.
    static var sending: Explore {
        served([
            .person(.draftEdited(ExactText(String(ServedChat.letter)))).atMost(1),
            .person { $0.rowActions }.atMost(2),
            .person { $0.answers(echoNamesClient: true) }, .ends(.failed(.lost)).atMost(1),
        ])
    }

    /// Two messages with one text over a socket whose echoes carry only the text: their order distinguishes them.
    static var echoing: Explore {
        served([
            .person(.draftEdited(ExactText(String(ServedChat.letter)))).atMost(2),
            .person { $0.answers(echoNamesClient: false) },
        ])
    }

    private static func served(_ happenings: [Happening<ServedChat>]) -> Explore {
        let configuration = Chat.Configuration.brief()
        let chat = Chat(configuration: configuration)
        var explore = Explore(
            ServedChat(chat: chat), from: ServedChat.State(chat: Chat.State(configuration: configuration)),
            happenings + [
                .person { $0.chat.sendable },
                .calls { _ in [.opened, .authenticated(replayCount: 0, isTruncated: false, isReset: false)] },
                .promptStorage(), .clock(.deadline),
                .drawn { state, choices in
                    state.chat.drawn(&choices).flatMap { $0.changesTheScreen ? nil : $0 }
                },
                .time(upTo: .minutes(1)),
            ])
        explore = explore.after(.person(.signedIn(Assistant.State.kay)))
        return explore.after(.person(.shown), .event(.opened))
            .after(.event(.authenticated(replayCount: 0, isTruncated: false, isReset: false)))
            .agesUpTo(Chat.Configuration.briefAge)
            .always(.everySpinnerHasALimit { chatSpinner($0.chat, $1) })
            // A socket, and an upload for each of four files.
            .always(.bounded(calls: 5, operations: 16), .bounded(operationsPerRecord: 2))
            .always("L5, L6: what was written is shown once, or was deleted") { place in
                place.state.shown == place.state.written
            }
            .always("C9: one copy of a message a connection") { place in
                place.state.said.allSatisfy { $0.copies == 1 }
            }
            .always("C8: one unacknowledged message at a time") { place in
                guard let link = place.state.chat.connection.link else { return true }
                return place.state.said.count { $0.link == link && $0.standing == .out } <= 1
            }
            .always(.everyTimerHasAPurpose(dismissing: .bannerDismissed) { $0.isOfPages })
            .noGhosts()
    }
}

extension FeatureEffect {
    fileprivate var opens: Bool { if case .open = self { true } else { false } }
}

extension Chat.Timer {
    /// The timer of a page that is saved again although its save is known to fail: it runs for the changes made
    /// meanwhile.
    fileprivate var isOfPages: Bool { if case .pageLimit = self { true } else { false } }
}

extension Chat {
    /// The possible events of a connected socket.
    fileprivate static func pushed(at time: WallTime) -> [Event] {
        func reply(_ text: ExactText, isGrowing: Bool) -> Event {
            .message(IncomingMessage(id: "m", role: .assistant, text: text, time: time, isGrowing: isGrowing))
        }
        return [
            .began("m", in: .main), .delta("m", "a"), .chunk("n", index: 0, "b", isFinal: false),
            reply("a", isGrowing: true), reply("ab", isGrowing: false),
            .replyFailed(.reply("m"), reason: "no"), .gap, .refetched,
        ]
    }

    /// The parts of a reply, of which any may come first, and signs of typing.
    fileprivate static var chunks: [Event] {
        [
            .chunk("n", index: 0, "b", isFinal: false), .chunk("n", index: 2, "d", isFinal: true),
            .chunk("n", index: 1, "c", isFinal: false), .typing(isActive: true, at: nil),
            .typing(isActive: false, at: nil),
        ]
    }
}

extension Chat.State {
    /// Sending, when there is something to send.
    fileprivate var sendable: [Chat.Action] { conversation.draft.text.isEmpty ? [] : [.sent] }

    /// The actions that the row of a message offers, once it was sent.
    fileprivate var offered: [Chat.Action] {
        Chat.rows(self, newest: 10, .neutral).flatMap { row -> [Chat.Action] in
            switch row.offer {
            case .retry: [.retried(row.id)]
            case .stop: [.replyStopped(row.id)]
            case .edit where row.role == .user: [.deleted(row.id)]
            case .edit, .consent, .nothing: []
            }
        }
    }

    /// Any action, with a preference for visible items and for odd texts.
    func drawn(_ choices: inout Choices) -> Chat.Action? {
        let rows = Chat.rows(self, newest: 10, .neutral).map { $0.id }
        let text = choices.pick(Choices.texts) ?? ""
        let row = choices.pick(rows + [.unnamed(.max), .received("m")]) ?? .unnamed(0)
        let stale = Chat.Call.socket(Attempt(number: .max))
        let conversation = choices.pick(conversations + ["none"]) ?? .main
        let isIt = choices.below(2) == 0
        let time = WallTime(millisecondsSince1970: 1_700_000_000_000)
        guard let event = choices.pick(Chat.pushed(at: time) + Chat.chunks) else { return nil }
        let file = PickedFile(
            kind: isIt ? .image : .document, mimeType: isIt ? "image/png" : "text/plain", name: text,
            bytes: [1])
        let actions: [Chat.Action] = [
            .shown, .left, .draftEdited(text), .draftEdited("a"), .sent, .sent, .retried(row), .deleted(row),
            .replyStopped(row), .waitingStopped, .scrolled(isAtEnd: isIt), .reconnectRequested,
            .attachmentPicked(file), .attachmentRemoved("none"), .messageEdited("none", text),
            .heldApproved("none"),
            .conversationCreated(title: text), .conversationSwitched(to: conversation),
            .conversationClosed(conversation), .olderRequested, .bannerDismissed,
            .signedIn(Assistant.State.kay), .signedOut, .dataErased("kay"), .networkChanged(isUp: isIt),
            .foregrounded, .backgrounded, .memoryWarned, .received(event, on: stale),
            .ended(stale, .completed),
            .stored(.missing, under: .outbox("kay", .main), Attempt(number: .max)),
        ]
        return choices.pick(actions)
    }

    /// The names of the conversations.
    private var conversations: [ConversationID] { [conversation.id] + others.map { $0.id } }
}

extension Chat.Action {
    /// Whether another person's or conversation's messages are shown afterwards.
    fileprivate var changesTheScreen: Bool {
        switch self {
        case .signedIn, .signedOut, .dataErased, .conversationCreated, .conversationSwitched,
            .conversationClosed:
            true
        default: false
        }
    }
}
