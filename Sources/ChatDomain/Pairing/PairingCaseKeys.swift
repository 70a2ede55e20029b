// The keys of the synthesised `Codable`, shared between cases of one shape. Core/CaseKeys.swift says why.

#if !hasFeature(Embedded)
    extension CredentialsRefusal {
        typealias AuthenticationFailedCodingKeys = NoValueKeys
        typealias TokenRevokedCodingKeys = NoValueKeys
        typealias TokenExpiredCodingKeys = NoValueKeys
        typealias DeviceNotApprovedCodingKeys = NoValueKeys
    }

    extension Decision {
        typealias ApproveCodingKeys = OneValueKeys
    }

    extension Pairing.Call {
        typealias AskCodingKeys = OneValueKeys
        typealias LinkCodingKeys = OneValueKeys
    }

    extension Pairing.DeviceIdentity {
        typealias UnknownCodingKeys = NoValueKeys
        typealias LoadingCodingKeys = OneValueKeys
        typealias SavingCodingKeys = TwoValueKeys
        typealias KnownCodingKeys = OneValueKeys
        typealias UnavailableCodingKeys = OneValueKeys
    }

    extension Pairing.Erasing.Step {
        typealias DoneCodingKeys = NoValueKeys
        typealias RunningCodingKeys = OneValueKeys
        typealias FailedCodingKeys = NoValueKeys
    }

    extension Pairing.Failure {
        typealias EmptyNameCodingKeys = NoValueKeys
        typealias RefusedCodingKeys = OneValueKeys
        typealias TimedOutCodingKeys = NoValueKeys
        typealias UnacceptableCodingKeys = OneValueKeys
        typealias StorageCodingKeys = OneValueKeys
        typealias UnreadableCodingKeys = OneValueKeys
    }

    extension Pairing.Key {
        typealias DeviceCodingKeys = NoValueKeys
        typealias CredentialsCodingKeys = NoValueKeys
        typealias SecretCodingKeys = OneValueKeys
        typealias RequestCodingKeys = NoValueKeys
    }

    extension Pairing.Notice {
        typealias NotRememberedCodingKeys = NoValueKeys
        typealias DeviceUnavailableCodingKeys = OneValueKeys
        typealias SignedOutCodingKeys = OneValueKeys
        typealias NotErasedCodingKeys = NoValueKeys
        typealias DataNotErasedCodingKeys = NoValueKeys
        typealias DecisionNotSentCodingKeys = NoValueKeys
    }

    extension Pairing.Phase {
        typealias RestoringCodingKeys = OneValueKeys
        typealias IdleCodingKeys = NoValueKeys
        typealias EnteringNameCodingKeys = NoValueKeys
        typealias WaitingForApprovalCodingKeys = OneValueKeys
        typealias PairedCodingKeys = OneValueKeys
        typealias FailedCodingKeys = OneValueKeys
    }

    extension Pairing.RestoredCredentials {
        typealias LoadingCodingKeys = OneValueKeys
        typealias FindingSecretCodingKeys = TwoValueKeys
        typealias FoundCodingKeys = OneValueKeys
        typealias NoneCodingKeys = NoValueKeys
    }

    extension Pairing.RestoredRequest {
        typealias LoadingCodingKeys = OneValueKeys
        typealias KnownCodingKeys = OneValueKeys
    }

    extension Pairing.Stage {
        typealias IdentifyingCodingKeys = NoValueKeys
        typealias AskingCodingKeys = OneValueKeys
        typealias BackingOffCodingKeys = NoValueKeys
        typealias SavingSecretCodingKeys = TwoValueKeys
        typealias SavingCredentialsCodingKeys = TwoValueKeys
    }

    extension Pairing.Standing {
        typealias UndecidedCodingKeys = NoValueKeys
        typealias DecidedCodingKeys = OneValueKeys
    }

    extension Pairing.Timer {
        typealias RestoringCodingKeys = NoValueKeys
        typealias StorageCodingKeys = NoValueKeys
        typealias ErasingCodingKeys = NoValueKeys
        typealias ApprovalCodingKeys = NoValueKeys
        typealias RetryCodingKeys = NoValueKeys
        typealias RenewalCodingKeys = NoValueKeys
        typealias IncomingCodingKeys = NoValueKeys
    }

    extension Refusal {
        typealias TimedOutCodingKeys = NoValueKeys
    }
#endif
