// The keys of the synthesised `Codable`, shared between cases of one shape. Core/CaseKeys.swift says why.

#if !hasFeature(Embedded)
    extension GrowingText.Pending {
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
