// The subject of an error of a Clawline server. The protocol names the message, but a running server names only the
// question of a failed reply; so a connection remembers its unanswered frames. Start at `report`.
// An error that names nothing is, in this order, about typing, a decision, or the message in flight.

import ChatDomain

extension ClawlineLink {
    /// The sent frames of a connection that an error without a name may concern.
    public struct Unanswered: DomainValue {
        /// The messages in flight, oldest first. A server with one conversation has one.
        package private(set) var messages: [ClientID] = []
        /// The devices with a sent decision that have not asked since, oldest decision first. A server does not answer
        /// a decision that it accepts.
        package private(set) var decided: [DeviceID] = []
        /// Whether the server knows typing.
        package internal(set) var typing = Typing.notSent

        /// The server's knowledge of typing.
        package enum Typing: DomainValue {
            case notSent
            /// Sent, and not answered; a server that knows it does not answer.
            case sent
            /// The server does not know the frame, so no more are sent.
            case unknown
        }

        /// The most entries of each list: as many as the requests that an admin sees, and more than there are
        /// conversations (limits).
        private static let limit = 100

        mutating func add(_ message: ClientID) {
            remove(message)
            messages = messages.suffix(Self.limit - 1) + [message]
        }

        mutating func add(_ device: DeviceID) {
            remove(device)
            decided = decided.suffix(Self.limit - 1) + [device]
        }

        mutating func remove(_ message: ClientID) { messages.removeAll { $0 == message } }

        mutating func remove(_ device: DeviceID) { decided.removeAll { $0 == device } }
    }
}

extension ClawlineLink.Progress {
    /// The unanswered frames of a connection; before there is one, it is empty, and a change is discarded.
    var unanswered: ClawlineLink.Unanswered {
        get {
            if case .connected(let unanswered, _) = self { unanswered } else { ClawlineLink.Unanswered() }
        }
        set { if case .connected(_, let streams) = self { self = .connected(newValue, streams) } }
    }
}

extension ClawlineLink.Progress {
    /// The known streams; before there is a connection, they are empty, and a change is discarded.
    var streams: ClawlineStreams {
        get { if case .connected(_, let streams) = self { streams } else { ClawlineStreams() } }
        set { if case .connected(let unanswered, _) = self { self = .connected(unanswered, newValue) } }
    }
}

// MARK: The subject

/// The subject of an error.
private enum Subject {
    case message(ClientID)
    case reply(MessageID)
    case decision(DeviceID)
    case typing
    case unknown
}

extension ClawlineLink.Unanswered {
    fileprivate func subject(of error: ClawlineError) -> Subject {
        if let id = error.subject { return id.isClient ? .message(ClientID(id)) : .reply(MessageID(id)) }
        switch error.code {
        case "invalid_message":
            if typing != .notSent, error.message == "Unknown type" { return .typing }
            if let device = error.device { return .decision(device) }
            if let device = decided.last, error.isOfDecision || messages.isEmpty { return .decision(device) }
            if error.isOfDecision { return .unknown }
        case "rate_limited": if messages.isEmpty { return .typing }
        case "payload_too_large", "asset_not_found", "server_error", "stream_not_found", "forbidden",
            "duplicate":
            break
        default: return .unknown
        }
        // A server checks the messages in order, so the error is about the last one.
        return messages.last.map { .message($0) } ?? .unknown
    }
}

extension ClawlineError {
    /// Whether another admin was first, or the device no longer asks. The code only says that the decision is invalid.
    fileprivate var isResolved: Bool {
        message.mentions("already resolved") || message.mentions("unknown device")
    }

    /// Whether the sentence can only be about a decision.
    fileprivate var isOfDecision: Bool {
        isResolved || message == "Invalid userId" || message == "Not admin" || message == "Not an admin"
    }
}

extension ExactText {
    /// Whether this is an id that a device has given to its message.
    fileprivate var isClient: Bool {
        utf8.starts(with: "c_".utf8)
    }
}

// MARK: Consequences

extension ClawlineLink {
    /// An error before the answer to the token. Clawline has no error for an unknown cursor: an invalid message counts
    /// as one if there was a cursor that could be invalid (C5).
    func refuseConnection(_ error: ClawlineError, hasCursor: Bool, _ reaction: inout Reaction<Chat.Event>) {
        switch error.code {
        case "invalid_message" where hasCursor: reaction.events.append(.cursorRefused)
        case "rate_limited":
            reaction.end = .refused(status: 429, retryAfter: nil, message: error.message)
        default: reportGeneral(error, &reaction)
        }
    }

    /// An error on a connection: one that is about a message touches that message alone (C11).
    func report(
        _ error: ClawlineError, _ progress: inout Progress, _ reaction: inout Reaction<Chat.Event>,
        _ pairing: inout [Pairing.Event]
    ) {
        let subject = progress.unanswered.subject(of: error)
        if case .message(let client) = subject { progress.unanswered.remove(client) }
        switch (error.code, subject) {
        case ("rate_limited", .message(let client)): reaction.events.append(.deferred(client))
        case ("rate_limited", _): break  // about typing, which may be lost (C18)
        case (_, .typing): progress.unanswered.typing = .unknown
        case (_, .decision(let device)):
            progress.unanswered.remove(device)
            pairing.append(error.isResolved ? .resolved(device) : .notDecided(device, reason: error.message))
        case ("asset_not_found", .message(let client)):
            reaction.events.append(.assetMissing(client, nil, reason: error.message))
        case ("payload_too_large", .message(let client)), ("invalid_message", .message(let client)),
            ("stream_not_found", .message(let client)), ("forbidden", .message(let client)):
            reaction.events.append(.rejected(client, reason: error.message))
        case ("duplicate", .message(let client)): reaction.events.append(.acknowledged(client))
        case ("server_error", .reply(let id)):
            reaction.events.append(.replyFailed(.reply(id), reason: error.message))
        case (let code, .message(let client)) where !Self.closing.contains(code):
            // An error of any kind: a message without a result would be sent again with every connection. It is unknown
            // whether the server has it, so its echo may still come.
            reaction.events.append(.replyFailed(.question(client), reason: error.message))
        case (_, .message), (_, .reply), (_, .unknown): reportGeneral(error, &reaction)
        }
    }

    /// The codes with which the server ends the connection, whatever they name.
    private static let closing: [ExactText] = ["session_replaced", "token_revoked", "auth_failed"]

    /// An error that concerns the connection, or nothing in particular.
    private func reportGeneral(_ error: ClawlineError, _ reaction: inout Reaction<Chat.Event>) {
        switch error.code {
        case "session_replaced": reaction.events.append(.sessionReplaced)
        case "token_revoked": reaction.events.append(.credentialsRefused(.tokenRevoked))
        case "auth_failed": reaction.events.append(.credentialsRefused(.authenticationFailed))
        default: reaction.events.append(.failed(error.message))
        }
    }
}
