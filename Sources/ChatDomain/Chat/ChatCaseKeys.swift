// The keys of the synthesised `Codable`, shared between cases of one shape. Core/CaseKeys.swift says why.

#if !hasFeature(Embedded)
    extension Attachment.Kind {
        typealias ImageCodingKeys = NoValueKeys
        typealias DocumentCodingKeys = NoValueKeys
        typealias AssetCodingKeys = NoValueKeys
    }

    extension Attachment.Source {
        typealias InlineCodingKeys = NoValueKeys
        typealias FileCodingKeys = OneValueKeys
        typealias AssetCodingKeys = OneValueKeys
    }

    extension Attachment.Upload {
        typealias WaitingCodingKeys = NoValueKeys
        typealias FailedCodingKeys = NoValueKeys
        typealias BrokenCodingKeys = NoValueKeys
        typealias RefusedCodingKeys = OneValueKeys
    }

    extension Chat.Banner {
        typealias OutboxFullCodingKeys = NoValueKeys
        typealias TooManyAttachmentsCodingKeys = NoValueKeys
        typealias AttachmentTooLargeCodingKeys = NoValueKeys
        typealias FilesNotTakenCodingKeys = NoValueKeys
        typealias TextTooLongCodingKeys = NoValueKeys
        typealias TooManyConversationsCodingKeys = NoValueKeys
        typealias ConversationHasUnsentCodingKeys = NoValueKeys
        typealias NotSavedCodingKeys = OneValueKeys
        typealias NotRestoredCodingKeys = OneValueKeys
        typealias ServerErrorCodingKeys = OneValueKeys
        typealias ReplayTruncatedCodingKeys = NoValueKeys
    }

    extension Chat.Call {
        typealias SocketCodingKeys = OneValueKeys
        typealias UploadCodingKeys = TwoValueKeys
        typealias StreamCodingKeys = TwoValueKeys
    }

    extension Chat.Carriage {
        typealias SocketCodingKeys = NoValueKeys
        typealias StreamsCodingKeys = OneValueKeys
    }

    extension Chat.Carrier {
        typealias SocketCodingKeys = OneValueKeys
        typealias StreamsCodingKeys = OneValueKeys
    }

    extension Chat.Connection.Phase {
        typealias DisconnectedCodingKeys = NoValueKeys
        typealias ConnectingCodingKeys = OneValueKeys
        typealias AuthenticatingCodingKeys = OneValueKeys
        typealias ConnectedCodingKeys = OneValueKeys
        typealias ReconnectingCodingKeys = OneValueKeys
        typealias FailedCodingKeys = OneValueKeys
    }

    extension Chat.ConnectionFailure {
        typealias ExhaustedCodingKeys = OneValueKeys
        typealias SessionReplacedCodingKeys = NoValueKeys
        typealias CredentialsRefusedCodingKeys = OneValueKeys
    }

    extension Chat.Exchange {
        typealias PushedCodingKeys = OneValueKeys
        typealias StreamedCodingKeys = OneValueKeys
    }

    extension Chat.Key {
        typealias ConversationsCodingKeys = OneValueKeys
        typealias PacingCodingKeys = OneValueKeys
        typealias DraftCodingKeys = TwoValueKeys
        typealias OutboxCodingKeys = TwoValueKeys
        typealias ContentsCodingKeys = TwoValueKeys
        typealias AttachmentCodingKeys = TwoValueKeys
    }

    extension Chat.Obstacle {
        typealias OfflineCodingKeys = NoValueKeys
        typealias CredentialsRefusedCodingKeys = NoValueKeys
    }

    extension Chat.Presence {
        typealias ForegroundCodingKeys = NoValueKeys
    }

    extension Chat.ReconnectCause {
        typealias OfflineCodingKeys = NoValueKeys
    }

    extension Chat.ReplySubject {
        typealias ReplyCodingKeys = OneValueKeys
        typealias QuestionCodingKeys = OneValueKeys
    }

    extension Chat.Timer {
        typealias ConnectingCodingKeys = NoValueKeys
        typealias AuthenticatingCodingKeys = NoValueKeys
        typealias ReplayCodingKeys = NoValueKeys
        typealias ReplayProgressCodingKeys = NoValueKeys
        typealias ReconnectCodingKeys = NoValueKeys
        typealias LivenessCodingKeys = NoValueKeys
        typealias StableCodingKeys = NoValueKeys
        typealias BackgroundCodingKeys = NoValueKeys
        typealias SlowCodingKeys = OneValueKeys
        typealias AcknowledgementCodingKeys = OneValueKeys
        typealias RateCodingKeys = NoValueKeys
        typealias DeferralCodingKeys = OneValueKeys
        typealias ReplyCodingKeys = OneValueKeys
        typealias RestoringCodingKeys = NoValueKeys
        typealias OutboxSaveCodingKeys = OneValueKeys
        typealias ListSaveCodingKeys = NoValueKeys
        typealias CopyingCodingKeys = OneValueKeys
        typealias UploadCodingKeys = OneValueKeys
        typealias UploadsAllowedCodingKeys = NoValueKeys
        typealias DraftSaveCodingKeys = OneValueKeys
        typealias DraftLimitCodingKeys = OneValueKeys
        typealias PageLimitCodingKeys = OneValueKeys
        typealias BatchCodingKeys = OneValueKeys
        typealias SilenceCodingKeys = OneValueKeys
        typealias WholeCodingKeys = OneValueKeys
        typealias GapCodingKeys = OneValueKeys
        typealias RefetchCodingKeys = NoValueKeys
        typealias TypingCodingKeys = OneValueKeys
        typealias TypingStoppedCodingKeys = OneValueKeys
        typealias StreamCodingKeys = TwoValueKeys
    }

    extension Chat.Viewport {
        typealias AtEndCodingKeys = NoValueKeys
    }

    extension Message.Author {
        typealias HereCodingKeys = OneValueKeys
        typealias ElsewhereCodingKeys = OneValueKeys
        typealias SystemCodingKeys = NoValueKeys
    }

    extension Message.Body {
        typealias TextCodingKeys = OneValueKeys
        typealias GrowingCodingKeys = NoValueKeys
        typealias InterruptedCodingKeys = TwoValueKeys
    }

    extension Message.Role {
        typealias UserCodingKeys = NoValueKeys
        typealias AssistantCodingKeys = NoValueKeys
        typealias SystemCodingKeys = NoValueKeys
    }

    extension Message.Status {
        typealias QueuedCodingKeys = NoValueKeys
        typealias SendingCodingKeys = NoValueKeys
        typealias SlowCodingKeys = NoValueKeys
        typealias AcceptedCodingKeys = NoValueKeys
        typealias DeliveredCodingKeys = NoValueKeys
        typealias FailedCodingKeys = OneValueKeys
    }

    extension Outgoing.Consent {
        typealias NotNeededCodingKeys = NoValueKeys
        typealias AskedCodingKeys = NoValueKeys
        typealias GivenCodingKeys = NoValueKeys
    }

    extension PageTable.Storage {
        typealias UnknownCodingKeys = NoValueKeys
        typealias LoadingContentsCodingKeys = OneValueKeys
        typealias SeekingPageCodingKeys = TwoValueKeys
        typealias LoadingPageCodingKeys = TwoValueKeys
        typealias IdleCodingKeys = NoValueKeys
        typealias SavingContentsCodingKeys = TwoValueKeys
        typealias UnreadableCodingKeys = OneValueKeys
    }

    extension SendFailure {
        typealias RejectedCodingKeys = OneValueKeys
        typealias FileMissingCodingKeys = NoValueKeys
        typealias FilesNotTakenCodingKeys = NoValueKeys
        typealias UnansweredCodingKeys = OneValueKeys
        typealias UploadFailedCodingKeys = OneValueKeys
    }

    extension Turns.Question {
        typealias WrittenCodingKeys = OneValueKeys
        typealias ElsewhereCodingKeys = OneValueKeys
    }

    extension Turns.Stage {
        typealias SentCodingKeys = NoValueKeys
        typealias WaitingCodingKeys = NoValueKeys
        typealias OverdueCodingKeys = NoValueKeys
        typealias FailedCodingKeys = OneValueKeys
    }
#endif
