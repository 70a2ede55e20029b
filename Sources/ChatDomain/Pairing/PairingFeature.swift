// Pairing: how this device gets in, and how an admin's device lets others in (P1–P10).
//
// Start with the phases in PairingState.swift, then read the switch in PairingReducer.swift. This file holds the
// vocabulary.

/// The feature that leads from a name to credentials.
public struct Pairing: Feature {
    /// The numbers that an app may change, behind one reference: a machine holds them, and machines are copied.
    @Boxed public var configuration: Configuration

    /// Creates the feature.
    public init(configuration: Configuration) { _configuration = Boxed(wrappedValue: configuration) }

    /// What a person did and what the world answered.
    public enum Action: FeatureAction {
        // The front end.
        /// The app has started; what is stored is to be loaded.
        case launched
        /// The text of the name field changed.
        case nameEdited(ExactText)
        /// The person asks to be let in.
        case submitted
        /// The person no longer wants to wait.
        case cancelled
        /// The person has read why it failed.
        case retried
        /// The person leaves this device.
        case signedOut
        /// An admin lets a device in, under an account, or under a new one.
        case approved(DeviceID, as: UserID?)
        /// An admin turns a device away; the reason stays here where the protocol has no field for it.
        case denied(DeviceID, reason: ExactText?)
        /// The person has read the notice.
        case noticeDismissed

        // The root.
        /// The network came back.
        case networkReturned
        /// What was stored of a person could not be erased (P10).
        case dataNotErased(Attempt)
        /// Nothing is stored of a person any more (P10).
        case dataErased(Attempt)
        /// The person leaves this device, and all that is stored of them is to go; or that is to be tried again (P10).
        case signedOutForGood
        /// The server no longer accepts the credentials.
        case credentialsRefused(CredentialsRefusal)
        /// A connection over which an admin may decide is ready.
        case linkOpened(Attempt)
        /// That connection is gone.
        case linkClosed(Attempt)

        // What the world answered.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        indirect case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls that pairing may have open.
    public enum Call: DomainValue {
        /// The question whether this device may come in.
        case ask(Attempt)
        /// The connection over which an admin decides. It belongs to chat, which opens and closes it.
        case link(Attempt)
    }

    /// What is asked when a call is opened.
    public enum Request: PlainValue {
        /// May this device come in? Asking again with the same id is the same question.
        indirect case pair(DeviceID, name: ExactText, DeviceInfo)
    }

    /// What is sent on an open call.
    public enum Frame: PlainValue {
        /// An admin's decision. The device's id is the idempotency key; the first decision wins.
        case decide(DeviceID, Decision)
    }

    /// What an open call brings.
    public enum Event: PlainValue {
        /// The server is waiting for an admin, who may want to compare a code.
        case pending(code: ExactText?)
        /// The device is in.
        case granted(Secret, UserID, isAdmin: Bool)
        /// The device is not let in.
        case refused(Refusal)
        /// Another device asks to come in.
        indirect case requested(PairingRequest)
        /// Somebody has decided about a device.
        case resolved(DeviceID)
        /// The server has not taken the decision about a device, and says why; the device still waits.
        case notDecided(DeviceID, reason: ExactText)
        /// Whether the person may let other devices in, as the server says now.
        case rights(isAdmin: Bool)
    }

    /// Where pairing keeps its records.
    public enum Key: DomainValue {
        /// The id of this installation.
        case device
        /// Who is signed in.
        case credentials
        /// The token that belongs to them.
        case secret(SecretHandle)
        /// The question that is waiting for an answer.
        case request
    }

    /// What pairing keeps. Effects and answers hold records, so the wide one is behind a reference.
    public enum Record: PlainValue {
        case device(DeviceID)
        case credentials(Credentials)
        case secret(Secret)
        indirect case request(PendingRequest)
    }

    /// The deadlines of pairing.
    public enum Timer: DomainValue {
        /// Loading at launch takes too long: start without what is missing (P1).
        case restoring
        /// Storage takes too long over the device id or the credentials (L3).
        case storage
        /// Storage takes too long over the erasing of credentials or of data (P10).
        case erasing
        /// The request has lived its life (P6).
        case approval
        /// The connection was lost; ask again (P6).
        case retry
        /// No answer for a while on an open connection; ask again (P6).
        case renewal
        /// The oldest incoming request expires (P9).
        case incoming
    }
}

extension Pairing {
    /// The numbers of pairing, with the defaults of Docs/Rules.md.
    public struct Configuration: DomainValue {
        /// What this device is.
        public var device: DeviceInfo
        /// How long loading at launch may take (P1).
        public var restoringLimit = Interval.seconds(5)
        /// How long storage may take before the person goes on without it (P4).
        public var storageLimit = Interval.seconds(5)
        /// How long a name may be, in UTF-8 bytes (P2).
        public var nameLimit: Int64 = 64
        /// How much is kept of the name and of each text from elsewhere, in UTF-8 bytes (L8): more than anybody types.
        public var textLimit: Int64 = 1_024
        /// How long a request lives, from its first submission and from its first sighting (P6, P9).
        public var requestLifetime = Interval.seconds(300)
        /// How long an open question may stay silent before it is asked again (P6).
        public var renewalInterval = Interval.seconds(30)
        /// How often the question may be asked (P6).
        public var asking = Throttle.Configuration(limit: 4, window: .seconds(60))
        /// How long to wait after a lost connection (C2).
        public var backoff = Backoff.Configuration()
        /// How many requests an admin is shown (limits).
        public var incomingLimit: Int64 = 100
        /// A decision whose connection is lost within this time may not have been sent (P9).
        public var decisionDoubt = Interval.seconds(5)

        /// Creates the defaults for a device.
        public init(device: DeviceInfo) { self.device = device }
    }
}

/// What a device says about itself.
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
    /// What it says about itself.
    public let info: DeviceInfo

    /// Creates a request.
    public init(device: DeviceID, claimedName: ExactText, info: DeviceInfo) {
        (self.device, self.claimedName, self.info) = (device, claimedName, info)
    }
}

/// What an admin decides about a device.
public enum Decision: DomainValue {
    /// Let it in under this account.
    case approve(UserID)
    /// Turn it away.
    case deny(reason: ExactText?)
}

/// Who is signed in on this device. The token itself is where secrets are kept.
public struct Credentials: DomainValue {
    /// The person.
    public let user: UserID
    /// Whether the person may let other devices in.
    public let isAdmin: Bool
    /// The name of the token.
    package let secret: SecretHandle

    /// Creates credentials.
    public init(user: UserID, isAdmin: Bool, secret: SecretHandle) {
        (self.user, self.isAdmin, self.secret) = (user, isAdmin, secret)
    }
}

/// A stored question, which goes on after a relaunch (P6); without a name, what is left of one that nobody waits for.
public struct PendingRequest: DomainValue {
    /// The name that was sent; empty once nobody waits, when only the memory of asking is kept (P6).
    package let name: ExactText
    /// When it was submitted.
    package internal(set) var submitted: WallTime
    /// When the server was asked lately, oldest first: what the throttle must recall.
    package internal(set) var asked: [WallTime]
    /// Before this the server does not want to be asked, if it said so.
    package internal(set) var notBefore: WallTime?
    /// A secret that may be stored without credentials that name it; a launch without credentials erases it.
    package internal(set) var secret: SecretHandle?
    /// The secrets of credentials that were left and may still be stored: they sign nobody in, and are erased (P10).
    package internal(set) var left: [SecretHandle]
    /// The people whose data is still to be erased (P10).
    package internal(set) var erased: [UserID]

    /// Creates a pending request.
    package init(
        name: ExactText, submitted: WallTime, asked: [WallTime] = [], notBefore: WallTime? = nil,
        secret: SecretHandle? = nil, left: [SecretHandle] = [], erased: [UserID] = []
    ) {
        (self.name, self.submitted, self.asked, self.notBefore) = (name, submitted, asked, notBefore)
        (self.secret, self.left, self.erased) = (secret, left, erased)
    }
}

/// Why a server turned this device away.
public enum Refusal: DomainValue {
    /// An admin said no, perhaps with a reason.
    case denied(reason: ExactText?)
    /// The server said no without asking anybody, perhaps with a reason.
    case rejected(reason: ExactText?)
    /// Nobody answered the server in time.
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
