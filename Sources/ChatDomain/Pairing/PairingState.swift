// What pairing knows. The phase tells the story; nothing beside it can contradict it.
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
// What the diagram cannot show: the device id and the throttle have lives of their own beside the phase. The
// id is needed in several and outlives all of them; the throttle counts what one person asks by submitting
// and cancelling over and over.

extension Pairing {
    /// Everything that pairing knows.
    public struct State: DomainValue {
        /// Where the person is.
        package internal(set) var phase: Phase = .idle
        /// What stands in the name field.
        package internal(set) var name: ExactText = ""
        /// The id of this installation.
        package internal(set) var device: DeviceIdentity = .unknown
        /// Keeps the questions to the server apart, whatever causes them (P6).
        var asking: Throttle
        /// The devices that ask to come in, for an admin.
        package internal(set) var incoming: Incoming
        /// Something the person should be told once.
        package internal(set) var notice: Notice?
        /// What a person has left behind and is to be erased (P10).
        var erasing = Erasing()
        var record = KeptRecord()
        /// The secret of credentials that were loaded too late to sign in with (P1); others may take their place.
        var superseded: SecretHandle?

        /// The state before the app is launched.
        public init(configuration: Configuration) {
            asking = Throttle(configuration.asking)
            incoming = Incoming(configuration: configuration)
        }

        /// Who is signed in.
        public var session: Session? { if case .paired(let session) = phase { session } else { nil } }
    }

    /// Where the person is. The wide cases are behind one reference each, since states are copied and compared.
    package enum Phase: DomainValue {
        /// What is stored is being loaded.
        indirect case restoring(Restoring)
        /// The name is asked for, and nothing was typed yet.
        case idle
        /// The name is being typed.
        case enteringName
        /// The server, or the way to it, is being waited for.
        indirect case waitingForApproval(Waiting)
        /// The device is in.
        case paired(Session)
        /// It did not work out.
        case failed(Failure)
    }

    /// What is still missing at launch.
    package struct Restoring: DomainValue {
        /// The credentials.
        var credentials: RestoredCredentials
        /// The request that was waiting when the app ended, if there was one and it has been read.
        var request: PendingRequest?
    }

    /// How far the credentials are restored.
    package enum RestoredCredentials: DomainValue {
        /// The record is being read.
        case loading(Attempt)
        /// The record is there; its secret is being looked for.
        case findingSecret(Credentials, Attempt)
        /// Both are there. Whether they were left is in the request.
        case found(Credentials)
        /// There are none.
        case none
    }

    /// The id of this installation (P1).
    package enum DeviceIdentity: DomainValue {
        /// Not asked for yet.
        case unknown
        /// Being read.
        case loading(Attempt)
        /// Just minted; being saved, and not to be sent before.
        case saving(DeviceID, Attempt)
        /// Stored.
        case known(DeviceID)
        /// There may be one, but it cannot be read or saved now. None is minted over it.
        case unavailable(StorageFailure)
    }

    /// A question on its way.
    package struct Waiting: DomainValue {
        /// What is asked, and since when.
        var request: PendingRequest
        /// The code that the server gave.
        var code: ExactText?
        /// What is under way.
        package var stage: Stage
        /// Whether the server has heard the question that was asked last.
        var isHeard = false
        /// Why the server could not be asked, until it has heard a question again.
        var trouble: CallEnd?
        /// Keeps the attempts to reconnect apart (P6).
        var backoff: Backoff
    }

    /// What is under way while a person waits. The approval or the storage timer ends each.
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

    /// A person who is in.
    public struct Session: DomainValue {
        /// Who it is.
        public let credentials: Credentials
        /// Whether this device will know them after a relaunch (P4).
        package let isRemembered: Bool
    }

    /// Why pairing failed.
    package enum Failure: DomainValue {
        /// No name was given.
        case emptyName
        /// The server said no.
        case refused(Refusal)
        /// The request has lived its life.
        case timedOut
        /// The server cannot be asked in this way, perhaps with a reason.
        case unacceptable(ExactText?)
        /// The device id cannot be read or saved now that it is needed.
        case storage(StorageFailure)
        /// What is stored cannot be read. There may be credentials, so they are loaded again before a name is asked
        /// for (P1), but for those that were found, or are still awaited.
        case unreadable(StorageFailure, RestoredCredentials)
    }

    /// Something the person should be told once.
    package enum Notice: DomainValue {
        /// This device will not be remembered (P4).
        case notRemembered
        /// Somebody is in, but the device id cannot be read, so nothing can be connected (P1).
        case deviceUnavailable(StorageFailure)
        /// The server no longer accepted the credentials (P10).
        case signedOut(CredentialsRefusal)
        /// The credentials could not be erased from this device.
        case notErased
        /// What was stored of the person could not be erased (P10).
        case dataNotErased
        /// A decision could not be sent, because there is no connection (P9).
        case decisionNotSent
        /// The server has not taken a decision, perhaps with a reason (P9).
        case decisionRefused(ExactText?)
    }

    /// The devices that ask to come in.
    package struct Incoming: DomainValue {
        /// The connection over which decisions are sent, when there is one.
        package internal(set) var link: Attempt?
        /// One row a device, in the order of first sight, until 300 s after it.
        package var rows: ExpiryTable<DeviceID, Row>

        init(configuration: Configuration) {
            rows = ExpiryTable(lifetime: configuration.requestLifetime, limit: configuration.incomingLimit)
        }
    }

    /// A device that asks to come in.
    package struct Row: DomainValue {
        /// The latest that it said about itself.
        var request: PairingRequest
        /// Whether it was decided about.
        var standing: Standing
    }

    /// Whether a device was decided about.
    enum Standing: DomainValue {
        /// It waits for a decision, and is shown.
        case undecided
        /// A decision was sent then, and nobody has contradicted it. It is not shown.
        case decided(Instant)
    }
}
