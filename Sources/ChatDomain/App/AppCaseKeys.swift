// The keys of the synthesised `Codable`, shared between cases of one shape: those of the root and of the smaller
// features. Chat has a file of its own. Core/CaseKeys.swift says why.

#if !hasFeature(Embedded)
    // MARK: The root

    extension App.Call {
        typealias PairingCodingKeys = OneValueKeys
        typealias ChatCodingKeys = OneValueKeys
        typealias AssistantCodingKeys = OneValueKeys
        typealias SmartRepliesCodingKeys = OneValueKeys
    }

    extension App.Key {
        typealias PairingCodingKeys = OneValueKeys
        typealias ChatCodingKeys = OneValueKeys
        typealias AssistantCodingKeys = OneValueKeys
        typealias PersonCodingKeys = OneValueKeys
    }

    extension App.Timer {
        typealias PairingCodingKeys = OneValueKeys
        typealias ChatCodingKeys = OneValueKeys
        typealias AssistantCodingKeys = OneValueKeys
        typealias SmartRepliesCodingKeys = OneValueKeys
    }

    // MARK: Assistant

    extension Assistant.Call {
        typealias AskCodingKeys = OneValueKeys
    }

    extension Assistant.Failure {
        typealias TimedOutCodingKeys = NoValueKeys
        typealias UnavailableCodingKeys = NoValueKeys
        typealias RefusedCodingKeys = OneValueKeys
        typealias OtherCodingKeys = NoValueKeys
    }

    extension Assistant.Key {
        typealias PacingCodingKeys = OneValueKeys
    }

    extension Assistant.LogIn {
        typealias NotWantedCodingKeys = NoValueKeys
        typealias WantedCodingKeys = NoValueKeys
    }

    extension Assistant.Obstacle {
        typealias OfflineCodingKeys = NoValueKeys
        typealias NotSignedInCodingKeys = NoValueKeys
    }

    extension Assistant.Outcome {
        typealias AnsweredCodingKeys = OneValueKeys
        typealias FailedCodingKeys = OneValueKeys
    }

    extension Assistant.PacingStorage {
        typealias UnknownCodingKeys = NoValueKeys
        typealias LoadingCodingKeys = OneValueKeys
        typealias OverdueCodingKeys = OneValueKeys
        typealias KnownCodingKeys = NoValueKeys
        typealias UnreadableCodingKeys = NoValueKeys
    }

    extension Assistant.Patience {
        typealias ThinkingCodingKeys = NoValueKeys
        typealias StillThinkingCodingKeys = NoValueKeys
    }

    extension Assistant.Queue {
        typealias IdleCodingKeys = NoValueKeys
    }

    extension Assistant.Refusal {
        typealias EmptyCodingKeys = NoValueKeys
        typealias TooLongCodingKeys = NoValueKeys
        typealias QueueFullCodingKeys = NoValueKeys
        typealias ConversationFullCodingKeys = NoValueKeys
    }

    extension Assistant.Stage {
        typealias AwaitingSlotCodingKeys = NoValueKeys
        typealias AskingCodingKeys = OneValueKeys
        typealias PausedCodingKeys = OneValueKeys
    }

    extension Assistant.Timer {
        typealias NoticeCodingKeys = NoValueKeys
        typealias AnswerCodingKeys = NoValueKeys
        typealias SlotCodingKeys = NoValueKeys
        typealias RestoringCodingKeys = NoValueKeys
    }

    extension Rejection {
        typealias UnauthenticatedCodingKeys = NoValueKeys
        typealias DeadlineExceededCodingKeys = NoValueKeys
        typealias UnavailableCodingKeys = NoValueKeys
        typealias OtherCodingKeys = OneValueKeys
    }

    // MARK: Pairing

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

    // MARK: Streaming

    extension Growth.Pending {
        typealias NothingCodingKeys = NoValueKeys
        typealias AdditionCodingKeys = OneValueKeys
        typealias ReplacementCodingKeys = OneValueKeys
    }

    extension SmartReplies.Kind {
        typealias ShortCodingKeys = NoValueKeys
        typealias FriendlyCodingKeys = NoValueKeys
        typealias ProfessionalCodingKeys = NoValueKeys
        typealias FunnyCodingKeys = NoValueKeys
        typealias OwnCodingKeys = OneValueKeys
    }

    extension SmartReplies.Phase {
        typealias IdleCodingKeys = NoValueKeys
        typealias AskedCodingKeys = OneValueKeys
        typealias SelectedCodingKeys = TwoValueKeys
    }

    extension Streaming.Call {
        typealias StreamCodingKeys = OneValueKeys
        typealias FallbackCodingKeys = OneValueKeys
        typealias RefreshCodingKeys = OneValueKeys
    }

    extension Streaming.Kept {
        typealias NothingCodingKeys = NoValueKeys
        typealias EarlierCodingKeys = OneValueKeys
        typealias CurrentCodingKeys = OneValueKeys
    }

    extension Streaming.Phase {
        typealias IdleCodingKeys = NoValueKeys
        typealias WaitingCodingKeys = TwoValueKeys
        typealias StreamingCodingKeys = TwoValueKeys
        typealias FinishedCodingKeys = OneValueKeys
        typealias InterruptedCodingKeys = TwoValueKeys
        typealias FailedCodingKeys = OneValueKeys
    }

    extension Streaming.Purpose {
        typealias SmartReplyCodingKeys = OneValueKeys
    }

    extension Streaming.Reason {
        typealias StoppedCodingKeys = NoValueKeys
        typealias LeftCodingKeys = NoValueKeys
        typealias SignInFirstCodingKeys = NoValueKeys
        typealias SignInAgainCodingKeys = NoValueKeys
        typealias BrokenCodingKeys = OneValueKeys
        typealias EndedEarlyCodingKeys = NoValueKeys
        typealias NoReplyCodingKeys = NoValueKeys
        typealias TimedOutCodingKeys = NoValueKeys
        typealias GapCodingKeys = NoValueKeys
        typealias ReportedCodingKeys = OneValueKeys
        typealias TooLongCodingKeys = NoValueKeys
        typealias EmptyCodingKeys = NoValueKeys
    }

    extension Streaming.RefreshCause {
        typealias ExpiryCodingKeys = NoValueKeys
        typealias RefusalCodingKeys = NoValueKeys
    }

    extension Streaming.Stage {
        typealias RefreshingCodingKeys = TwoValueKeys
        typealias OpenCodingKeys = OneValueKeys
        typealias BackingOffCodingKeys = NoValueKeys
        typealias FallingBackCodingKeys = OneValueKeys
    }

    extension Streaming.Timer {
        typealias BatchCodingKeys = NoValueKeys
        typealias FirstTokenCodingKeys = NoValueKeys
        typealias SilenceCodingKeys = NoValueKeys
        typealias WholeCodingKeys = NoValueKeys
        typealias RetryCodingKeys = NoValueKeys
        typealias FallbackCodingKeys = NoValueKeys
        typealias RefreshCodingKeys = NoValueKeys
        typealias GapCodingKeys = NoValueKeys
    }
#endif
