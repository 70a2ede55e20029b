// The keys of the synthesised `Codable`, shared between cases of one shape. Core/CaseKeys.swift says why.

#if !hasFeature(Embedded)
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
#endif
