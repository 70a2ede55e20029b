// Pairing: how this device gets in, and how an admin's device lets others in (P1–P10).
//
// Start with the phases in PairingState.swift, then read the switch in PairingReducer.swift. This file holds the
// vocabulary.

/// The feature that turns a name into credentials.
public struct Pairing: Feature {
    /// The settings of the app, behind one reference: a machine holds them, and machines are copied.
    @Boxed public var configuration: Configuration

    /// Creates the feature.
    public init(configuration: Configuration) { _configuration = Boxed(wrappedValue: configuration) }

    /// A report of the person, the root or the effects.
    public enum Action: FeatureAction {
        // From the front end.
        /// The app has started, and the stored records must be loaded.
        case launched
        /// The text of the name field changed.
        case nameEdited(ExactText)
        /// The person asks to be let in.
        case submitted
        /// The person cancels the wait.
        case cancelled
        /// The person returns from a failure.
        case retried
        /// The person signs out of this device.
        case signedOut
        /// An admin lets a device in, under an existing account or a new one.
        case approved(DeviceID, as: UserID?)
        /// An admin denies a device; the reason stays on this device if the protocol has no field for it.
        case denied(DeviceID, reason: ExactText?)
        /// The person dismisses the notice.
        case noticeDismissed

        // From the root.
        /// The network came back.
        case networkReturned
        /// The stored data of a person could not be erased (P10).
        case dataNotErased(Attempt)
        /// The stored data of a person is erased (P10).
        case dataErased(Attempt)
        /// The person signs out, and all their stored data is to be erased; or a failed erasure is repeated (P10).
        case signedOutForGood
        /// The server no longer accepts the credentials.
        case credentialsRefused(CredentialsRefusal)
        /// A connection over which an admin may decide is ready.
        case linkOpened(Attempt)
        /// That connection is gone.
        case linkClosed(Attempt)

        // From the effects.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        indirect case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls of pairing.
    public enum Call: DomainValue {
        /// The question whether this device may come in.
        case ask(Attempt)
        /// The connection over which an admin decides. It belongs to chat, which opens and closes it.
        case link(Attempt)
    }

    /// The request that opens a call.
    public enum Request: PlainValue {
        /// The question whether this device may come in. A repetition with the same id is the same question.
        indirect case pair(DeviceID, name: ExactText, DeviceInfo)
    }

    /// A frame that is sent on an open call.
    public enum Frame: PlainValue {
        /// An admin's decision. The device's id is the idempotency key; the first decision wins.
        case decide(DeviceID, Decision)
    }

    /// An event of an open call.
    public enum Event: PlainValue {
        /// The server waits for an admin, who may compare a code.
        case pending(code: ExactText?)
        /// The device is in.
        case granted(Secret, UserID, isAdmin: Bool)
        /// The device is not let in.
        case refused(PairingRefusal)
        /// Another device asks to come in.
        indirect case requested(PairingRequest)
        /// An admin has decided about a device.
        case resolved(DeviceID)
        /// The server has rejected the decision about a device, with a reason; the device still waits.
        case notDecided(DeviceID, reason: ExactText)
        /// Whether the person may let other devices in now.
        case rights(isAdmin: Bool)
    }

    /// The keys of pairing's records.
    public enum Key: DomainValue {
        /// The id of this installation.
        case device
        /// The credentials of the signed-in person.
        case credentials
        /// The token of those credentials.
        case secret(SecretHandle)
        /// The unanswered question, and the notes of PairingRecord.swift.
        case request
    }

    /// The records of pairing. Effects and answers hold records, so the wide one is behind a reference.
    public enum Record: PlainValue {
        case device(DeviceID)
        case credentials(Credentials)
        case secret(Secret)
        indirect case request(PendingRequest)
    }

    /// The deadlines of pairing.
    public enum Timer: DomainValue {
        /// The stored records did not load in time; pairing starts without them (P1).
        case restoring
        /// The device id or the credentials were not loaded or saved in time (L3).
        case storage
        /// Credentials or data were not erased in time (P10).
        case erasing
        /// The lifetime of the request is over (P6).
        case approval
        /// The delay after a lost connection is over; the question is repeated (P6).
        case retry
        /// The server was silent on an open connection; the question is repeated (P6).
        case renewal
        /// The oldest incoming request expires (P9).
        case incoming
    }
}

extension Pairing {
    /// The settings of pairing, with the defaults of Docs/Rules.md.
    public struct Configuration: DomainValue {
        /// The description of this device.
        public var device: DeviceInfo
        /// The deadline for the loads of a launch (P1).
        public var restoringLimit = Interval.seconds(5)
        /// The deadline for storage, after which the person goes on without it (P4).
        public var storageLimit = Interval.seconds(5)
        /// The longest name, in UTF-8 bytes (P2).
        public var nameLimit: Int64 = 64
        /// The longest kept text of the name field or from elsewhere, in UTF-8 bytes (L8): more than a person types.
        public var textLimit: Int64 = 1_024
        /// The lifetime of a request, from its first submission or its first sight (P6, P9).
        public var requestLifetime = Interval.seconds(300)
        /// The silence after which an open question is repeated (P6).
        public var renewalInterval = Interval.seconds(30)
        /// The rate limit of the question (P6).
        public var requests = Throttle.Configuration(limit: 4, window: .seconds(60))
        /// The delays after a lost connection (C2).
        public var backoff = Backoff.Configuration()
        /// The maximum number of requests that an admin sees (limits).
        public var incomingLimit: Int64 = 100
        /// The time after a decision within which a lost connection leaves it in doubt (P9).
        public var decisionDoubt = Interval.seconds(5)

        /// Creates the defaults for a device.
        public init(device: DeviceInfo) { self.device = device }
    }
}

/// The description of a device.
public struct DeviceInfo: DomainValue {
    /// The system, such as “iOS”; never empty.
    public let platform: ExactText
    /// The model; never empty.
    public let model: ExactText
    /// The system's version.
    public let systemVersion: ExactText?
    /// The app's version.
    public let appVersion: ExactText?

    /// Creates the description. Servers refuse an empty platform or model, so it becomes “unknown”.
    public init(
        platform: ExactText, model: ExactText, systemVersion: ExactText? = nil, appVersion: ExactText? = nil
    ) {
        self.platform = platform.trimmed.isEmpty ? "unknown" : platform
        self.model = model.trimmed.isEmpty ? "unknown" : model
        self.systemVersion = systemVersion
        self.appVersion = appVersion
    }
}

/// A device that asks to come in, as an admin sees it.
public struct PairingRequest: DomainValue {
    /// The device.
    public let device: DeviceID
    /// The name that its owner claims.
    public let claimedName: ExactText
    /// The description that it gives.
    public let info: DeviceInfo

    /// Creates a request.
    public init(device: DeviceID, claimedName: ExactText, info: DeviceInfo) {
        (self.device, self.claimedName, self.info) = (device, claimedName, info)
    }
}

/// The decision of an admin about a device.
public enum Decision: DomainValue {
    /// Let it in under this account.
    case approve(UserID)
    /// Turn it away.
    case deny(reason: ExactText?)
}

/// The credentials of the person on this device. The token itself is a secret of its own.
public struct Credentials: DomainValue {
    /// The person.
    public let user: UserID
    /// Whether the person may let other devices in.
    public let isAdmin: Bool
    /// The handle of the token.
    package let secret: SecretHandle

    /// Creates credentials.
    package init(user: UserID, isAdmin: Bool, secret: SecretHandle) {
        (self.user, self.isAdmin, self.secret) = (user, isAdmin, secret)
    }
}

/// A stored question, which continues after a relaunch (P6). Without a name, only its notes remain.
public struct PendingRequest: DomainValue {
    /// The name that was sent; empty once the question has ended, when only the times of asking are kept (P6).
    package let name: ExactText
    /// When it was submitted.
    package internal(set) var submitted: WallTime
    /// The latest questions, and a wait that the server demands, for the throttle.
    package internal(set) var pacing: Pacing
    /// Secrets that may be stored without credentials that name them; the latest, of this question, last. A launch that
    /// knows which secret the credentials name erases the others (P4).
    package internal(set) var secrets: [SecretHandle]
    /// The secrets of former credentials that may still be stored: they sign nobody in, and are erased (P10).
    package internal(set) var left: [SecretHandle]
    /// The people whose data is still to be erased (P10).
    package internal(set) var erased: [UserID]

    /// Creates a pending request.
    package init(
        name: ExactText, submitted: WallTime, pacing: Pacing = Pacing(asked: []),
        secrets: [SecretHandle] = [], left: [SecretHandle] = [], erased: [UserID] = []
    ) {
        (self.name, self.submitted, self.pacing) = (name, submitted, pacing)
        (self.secrets, self.left, self.erased) = (secrets, left, erased)
    }
}

/// Why a server refuses this device.
public enum PairingRefusal: DomainValue {
    /// An admin denied it, perhaps with a reason.
    case denied(reason: ExactText?)
    /// The server rejected it without an admin, perhaps with a reason.
    case rejected(reason: ExactText?)
    /// The server got no answer in time.
    case timedOut
}

/// Why a server no longer accepts credentials (P10).
public enum CredentialsRefusal: DomainValue {
    /// They are wrong.
    case authenticationFailed
    /// They were withdrawn.
    case tokenRevoked
    /// They are too old.
    case tokenExpired
    /// The device was not, or is no longer, let in.
    case deviceNotApproved
}
