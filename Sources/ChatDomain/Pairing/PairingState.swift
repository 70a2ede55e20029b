// The state of pairing. The phase is the only source of truth, so nothing can contradict it.
//
//     idle ──launched──▶ restoring ──credentials──▶ paired ──signed out──▶ idle
//                          │ ▲ │└────no credentials──▶ idle
//                          │ │ └──────request pending──▶ waitingForApproval
//     unreadable, or the   │ │ retried
//     request is too old   │ │
//                          ▼ │
//                         failed
//
//     idle, enteringName ──submitted──▶ waitingForApproval ──granted, saved──▶ paired
//                 ▲    ▲─────cancelled────────┘│ refused, 300 s, storage
//                 └──────retried────── failed ◀┘
//
// Not in the diagram: the device id and the throttle are independent of the phase. The id is needed in several
// phases and outlives all of them; the throttle counts the questions of a person who submits and cancels over
// and over.

extension Pairing {
    /// The state of pairing.
    public struct State: DomainValue {
        /// The phase.
        package internal(set) var phase: Phase = .idle
        /// The text of the name field.
        package internal(set) var name: ExactText = ""
        /// The id of this installation.
        package internal(set) var device: DeviceIdentity = .unknown
        /// The rate limit of questions to the server, whatever causes them (P6).
        var requests: Throttle
        /// The devices that ask to come in, for an admin.
        package internal(set) var incoming: Incoming
        /// The notice to the person.
        package internal(set) var notice: Notice?
        /// The data of people who have left, to be erased (P10).
        var erasing = Erasing()
        /// The record of the pending request.
        var record = KeptRecord()
        /// The stored credentials that the launch did not wait for.
        var late = LateCredentials.none
        /// Secrets of earlier questions that may be stored. Credentials that are not loaded yet may name one of them (P4).
        var unnamed: [SecretHandle] = []

        /// Creates the state before the app is launched.
        public init(configuration: Configuration) {
            requests = Throttle(configuration.requests)
            incoming = Incoming(configuration: configuration)
        }

        /// The signed-in session.
        public var session: Session? { if case .paired(let session) = phase { session } else { nil } }
    }

    /// The phase of pairing. The wide cases are behind one reference each, because states are copied and compared.
    package enum Phase: DomainValue {
        /// The stored records are being loaded.
        indirect case restoring(Restoring)
        /// The name is asked for.
        case idle
        /// The person edits the name.
        case enteringName
        /// The answer of the server, or the connection to it, is awaited.
        indirect case waitingForApproval(Waiting)
        /// The device is in.
        indirect case paired(Session)
        /// Pairing failed.
        case failed(Failure)
    }

    /// The records of a launch, as far as they are read.
    package struct Restoring: DomainValue {
        var credentials: RestoredCredentials
        /// The stored request; `nil` if there is none, or while `State.record` says that it is not read.
        var request: PendingRequest?
    }

    /// The progress of restoring the credentials.
    package enum RestoredCredentials: DomainValue {
        /// The record is being read.
        case loading(Attempt)
        /// The record is loaded; its secret is being looked up.
        case findingSecret(Credentials, Attempt)
        /// Both are loaded. The request says whether they were left.
        case found(Credentials)
        /// None are stored.
        case none
    }

    /// The id of this installation (P1).
    package enum DeviceIdentity: DomainValue {
        /// Not loaded yet.
        case unknown
        /// Being loaded.
        case loading(Attempt)
        /// New; being saved, and not sent before that.
        case saving(DeviceID, Attempt)
        /// Stored.
        case known(DeviceID)
        /// It cannot be loaded or saved now. No new id replaces it.
        case unavailable(StorageFailure)
    }

    /// The question while the person waits.
    package struct Waiting: DomainValue {
        /// The name, and when it was submitted; behind one reference, because each step reads the stage beside it.
        @Boxed var request: PendingRequest
        /// The code that the server gave.
        var code: ExactText?
        package internal(set) var stage: Stage
        /// Whether the server has heard the latest question.
        var isHeard = false
        /// Why the server could not be asked; cleared once it has heard a question.
        var trouble: CallEnd?
        /// The delays between attempts to reconnect (P6).
        var backoff: Backoff
    }

    /// The operation under way while a person waits. The approval or the storage timer limits each.
    package enum Stage: DomainValue {
        /// The device id is being loaded or saved.
        case identifying
        /// The server was asked.
        case asking(Attempt)
        /// The server will be asked again.
        case backingOff
        /// The token is being saved.
        case savingSecret(Credentials, Attempt)
        /// The record that names the token is being saved.
        case savingCredentials(Credentials, Attempt)
    }

    /// A signed-in person.
    public struct Session: DomainValue {
        /// The credentials of the person.
        public internal(set) var credentials: Credentials
        /// Whether this device signs them in after a relaunch (P4).
        package let isRemembered: Bool
        /// The record of the credentials, since the person came in: their rights may change (P9).
        var record = KeptRecord(.open)
    }

    /// Why pairing failed.
    package enum Failure: DomainValue {
        /// The name is empty.
        case emptyName
        /// The server refused the device.
        case refused(PairingRefusal)
        /// The lifetime of the request is over.
        case timedOut
        /// The server rejects the request itself, perhaps with a reason.
        case unacceptable(ExactText?)
        /// The device id cannot be loaded or saved when it is needed.
        case storage(StorageFailure)
        /// A record cannot be read. There may be credentials, so they are loaded again before a name is asked for (P1),
        /// except those that were found or are still awaited.
        case unreadable(StorageFailure, RestoredCredentials)
    }

    /// A notice to the person.
    package enum Notice: DomainValue {
        /// This device will not be remembered (P4).
        case notRemembered
        /// The person is signed in, but the device id cannot be read, so nothing can be connected (P1).
        case deviceUnavailable(StorageFailure)
        /// The server no longer accepted the credentials (P10).
        case signedOut(CredentialsRefusal)
        /// The credentials could not be erased from this device.
        case notErased
        /// The stored data of the person could not be erased (P10).
        case dataNotErased
        /// A decision could not be sent, because there is no connection (P9).
        case decisionNotSent
        /// The server has rejected a decision, perhaps with a reason (P9).
        case decisionRefused(ExactText?)
    }

    /// The devices that ask to come in.
    package struct Incoming: DomainValue {
        /// The connection on which decisions are sent; `nil` without one.
        package internal(set) var link: Attempt?
        /// One row for each device, in the order of first sight, until 300 s after it.
        package internal(set) var rows: ExpiryTable<DeviceID, Row>

        init(configuration: Configuration) {
            rows = ExpiryTable(lifetime: configuration.requestLifetime, limit: configuration.incomingLimit)
        }
    }

    /// A device that asks to come in.
    package struct Row: DomainValue {
        var request: PairingRequest
        /// The decision about the device.
        var standing: Standing
    }

    /// Whether a decision was sent.
    enum Standing: DomainValue {
        /// It waits for a decision, and is shown.
        case undecided
        /// A decision was sent at that instant, and the server has not contradicted it. The row is not shown.
        case decided(Instant)
    }
}
