// The words of a connection: its phases, its failures and its inputs. Start with `Phase`; the machine stands in
// Connection.swift.

extension Chat.Connection {
    /// How far a connection has come (C1).
    public enum Phase: DomainValue {
        /// There is none, and none is wanted.
        case disconnected
        /// The transport is being opened.
        case connecting(Attempt)
        /// The server is finding out who this is.
        case authenticating(Attempt)
        /// The server tells what came since the cursor; so many finished messages are still to come.
        case replaying(Attempt, remaining: Int64)
        /// Messages go both ways.
        case connected(Attempt)
        /// The next attempt waits for its time, or for the network.
        case reconnecting(Chat.ReconnectCause)
        /// No attempt is made by time alone.
        case failed(Chat.ConnectionFailure)
    }

    enum Input: Equatable {
        /// The wish has changed, so that there may be somebody to connect.
        case wanted
        /// Nobody wants a connection any more: the chat was left, or its person has signed out.
        case left
        /// The app has left the front.
        case backgrounded
        /// The app is in front again, after so long.
        case foregrounded(after: Interval)
        /// The device has a network, or has none, as the wish says.
        case network
        /// The person wants to try to connect.
        case requested
        /// The transport is open.
        case opened
        /// The server knows who this is, and replays so many finished messages.
        case authenticated(replayCount: Int64)
        /// One more finished message has come. A live one between them counts too, so the replay may end a message
        /// early; what is sent then goes under its key (L6).
        case replayed
        /// The server does not know a cursor. Whoever gives this has forgotten the cursors, if there were any.
        case cursorRefused(hadCursors: Bool)
        /// The server has said that no attempt of ours will help.
        case stopped(Chat.ConnectionFailure)
        /// The socket is not waited for any longer, as if it had ended like this.
        case gaveUp(CallEnd)
        /// The socket has ended.
        case ended(CallEnd)
        /// The server has given a sign of life that says nothing else.
        case alive
        /// Something is missing in a stream that is numbered.
        case gap
        /// What was missing has come.
        case refetched
        /// A limit of time has passed.
        case passed(Chat.Timer)
    }

    enum Change: Equatable {
        /// Nothing.
        case none
        /// What is written can be sent from now on.
        case ready
        /// What was on the socket is gone.
        case cut
    }
}

extension Chat {
    /// What the next attempt to connect waits for.
    public enum ReconnectCause: DomainValue {
        /// For its time, after so many attempts.
        case backoff(attempts: Int64)
        /// For the network.
        case offline
    }

    /// Why no further attempt to connect is made.
    public enum ConnectionFailure: DomainValue {
        /// Attempts are exhausted; the last broke like this (C2).
        case exhausted(CallEnd)
        /// Another connection has taken the session (C3).
        case sessionReplaced
        /// The server does not accept the credentials (C3, P10).
        case credentialsRefused(CredentialsRefusal)
        /// The server wants to be left alone until then (C3).
        case toldToWait(until: WallTime)

        var isFinal: Bool {
            switch self {
            case .sessionReplaced, .credentialsRefused: true
            case .exhausted, .toldToWait: false
            }
        }
    }
}

extension Chat.Connection.Phase {
    @inline(__always) public var attempt: Attempt? {
        switch self {
        case .connecting(let attempt), .authenticating(let attempt), .replaying(let attempt, _),
            .connected(let attempt):
            attempt
        case .disconnected, .reconnecting, .failed: nil
        }
    }

    /// The attempt under which the socket was opened, once the server knows who this is.
    @inline(__always) public var link: Attempt? {
        switch self {
        case .replaying(let attempt, _), .connected(let attempt): attempt
        case .disconnected, .connecting, .authenticating, .reconnecting, .failed: nil
        }
    }

    /// Why the server no longer accepts the credentials, if it does not.
    @inline(__always) public var refusal: CredentialsRefusal? {
        if case .failed(.credentialsRefused(let refusal)) = self { refusal } else { nil }
    }

    /// Whether nobody wants a connection, or nobody is to have one: then nothing is uploaded either (C4).
    var isOver: Bool {
        switch self {
        case .disconnected: true
        case .failed(let failure): failure.isFinal
        case .connecting, .authenticating, .replaying, .connected, .reconnecting: false
        }
    }
}
