// Shared keys for the synthesised `Codable` of enums. Swift makes a type of keys for each case of an enum, with some
// forty functions each, though cases of one shape have the same keys. Three types serve nearly all of them, here and
// in App/AppCaseKeys.swift and Chat/ChatCaseKeys.swift: that is a sixth of the time in which the domain compiles, and
// changes no byte of what is encoded. A case that is not listed gets keys of its own.

#if !hasFeature(Embedded)
    /// The keys of a case without associated values.
    enum NoValueKeys: CodingKey {}

    /// The keys of a case with one unlabelled value.
    enum OneValueKeys: CodingKey { case _0 }

    /// The keys of a case with two unlabelled values.
    enum TwoValueKeys: CodingKey { case _0, _1 }

    extension CallEnd {
        typealias CompletedCodingKeys = NoValueKeys
        typealias FailedCodingKeys = OneValueKeys
    }

    extension CallFailure {
        typealias OfflineCodingKeys = NoValueKeys
        typealias UnreachableCodingKeys = NoValueKeys
        typealias LostCodingKeys = NoValueKeys
        typealias TimedOutCodingKeys = NoValueKeys
        typealias InsecureCodingKeys = NoValueKeys
        typealias TooLargeCodingKeys = NoValueKeys
        typealias MalformedCodingKeys = NoValueKeys
        typealias SecretMissingCodingKeys = NoValueKeys
        typealias RecordMissingCodingKeys = NoValueKeys
    }

    extension Entropy {
        typealias SeededCodingKeys = OneValueKeys
        typealias LeastCodingKeys = OneValueKeys
        typealias GreatestCodingKeys = OneValueKeys
    }

    extension FeatureEffect {
        typealias OpenCodingKeys = TwoValueKeys
        typealias SendCodingKeys = TwoValueKeys
        typealias CloseCodingKeys = OneValueKeys
        typealias LoadCodingKeys = TwoValueKeys
        typealias EraseCodingKeys = TwoValueKeys
        typealias CancelCodingKeys = OneValueKeys
        typealias HapticCodingKeys = NoValueKeys
    }

    extension KeptRecord.Access {
        typealias UnreadCodingKeys = NoValueKeys
        typealias LoadingCodingKeys = OneValueKeys
        typealias GatedCodingKeys = OneValueKeys
        typealias OpenCodingKeys = NoValueKeys
        typealias ClosedCodingKeys = OneValueKeys
    }

    extension ReorderBuffer.State {
        typealias EndedCodingKeys = NoValueKeys
    }

    extension SendQueue.Phase {
        typealias IdleCodingKeys = NoValueKeys
        typealias InFlightCodingKeys = OneValueKeys
        typealias BlockedCodingKeys = OneValueKeys
    }

    extension StorageAnswer {
        typealias LoadedCodingKeys = OneValueKeys
        typealias MissingCodingKeys = NoValueKeys
        typealias SavedCodingKeys = NoValueKeys
        typealias ErasedCodingKeys = NoValueKeys
        typealias FailedCodingKeys = OneValueKeys
    }

    extension StorageFailure {
        typealias FullCodingKeys = NoValueKeys
        typealias UnreadableCodingKeys = NoValueKeys
        typealias DamagedCodingKeys = NoValueKeys
        typealias UnavailableCodingKeys = NoValueKeys
    }
#endif
