// The types of a socket connection: phases, inputs, changes and failures. Start with `Phase`; Connection.swift has
// the state machine.

extension Chat.Connection {
    /// The phase of a connection (C1).
    public enum Phase: DomainValue {
        /// No connection is wanted.
        case disconnected
        /// The transport is opening.
        case connecting(Attempt)
        /// The server checks the credentials.
        case authenticating(Attempt)
        /// The server replays what came since the cursor; `remaining` finished messages are still to come.
        case replaying(Attempt, remaining: Int64)
        /// Messages flow both ways.
        case connected(Attempt)
        /// The next attempt waits for its backoff or for the network.
        case reconnecting(Chat.ReconnectCause)
        /// No timer leads to another attempt.
        case failed(Chat.ConnectionFailure)
    }

    enum Input: Equatable {
        /// The wish has changed; a connection may be wanted now.
        case wanted
        /// No connection is wanted: the chat was left, or the person has signed out.
        case left
        case backgrounded
        case foregrounded(after: Interval)
        /// The network state in the wish has changed.
        case network
        /// The person asks for an attempt.
        case requested
        /// The transport is open.
        case opened
        case authenticated(replayCount: Int64)
        /// A finished message has arrived. A live one counts too, so the replay may end one message early; a
        /// message that is sent then has its idempotency key (L6).
        case replayed
        /// The server says that all has been told again.
        case replayEnded
        /// The server does not know a cursor. The caller has already cleared the cursors, if there were any.
        case cursorRefused(hadCursors: Bool)
        /// The server has said that no further attempt helps.
        case stopped(Chat.ConnectionFailure)
        /// The machine stops waiting for the socket, as if it had ended like this.
        case gaveUp(CallEnd)
        case ended(CallEnd)
        /// A sign of life without other content.
        case alive
        /// The server gives a sign of life this often.
        case heartbeat(every: Interval)
        /// A numbered stream misses something.
        case gap
        case refetched
        /// A deadline has passed.
        case passed(Chat.Timer)

        /// Whether the socket has ended by itself: there is nothing to close.
        var isEnd: Bool { if case .ended = self { true } else { false } }
    }

    enum Change: Equatable {
        case none
        /// Messages can be sent from now on.
        case ready
        /// Everything in flight on the socket is lost.
        case cut
    }
}

extension Chat {
    /// The condition for the next attempt.
    public enum ReconnectCause: DomainValue {
        /// The delay after this number of attempts, and its end (C1).
        case backoff(attempts: Int64, until: WallTime)
        /// The network.
        case offline
    }

    /// Why attempts have stopped.
    public enum ConnectionFailure: DomainValue {
        /// The attempts are used up; the last one ended like this (C2).
        case exhausted(CallEnd)
        /// Another connection has taken the session (C3).
        case sessionReplaced
        /// The server refuses the credentials (C3, P10).
        case credentialsRefused(CredentialsRefusal)
        /// The server demands a wait until then (C3).
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
    @inline(__always) package var attempt: Attempt? {
        switch self {
        case .connecting(let attempt), .authenticating(let attempt), .replaying(let attempt, _),
            .connected(let attempt):
            attempt
        case .disconnected, .reconnecting, .failed: nil
        }
    }

    /// The attempt that opened the socket, once it is authenticated; otherwise nil.
    @inline(__always) package var link: Attempt? {
        switch self {
        case .replaying(let attempt, _), .connected(let attempt): attempt
        case .disconnected, .connecting, .authenticating, .reconnecting, .failed: nil
        }
    }

    /// Why the server refuses the credentials; nil if it does not.
    @inline(__always) var refusal: CredentialsRefusal? {
        if case .failed(.credentialsRefused(let refusal)) = self { refusal } else { nil }
    }

    var isFailed: Bool { if case .failed = self { true } else { false } }

    /// Whether no connection is wanted or allowed; then nothing is uploaded either (C4).
    var isOver: Bool {
        switch self {
        case .disconnected: true
        case .failed(let failure): failure.isFinal
        case .connecting, .authenticating, .replaying, .connected, .reconnecting: false
        }
    }
}
