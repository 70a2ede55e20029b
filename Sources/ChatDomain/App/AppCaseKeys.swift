// The keys of the synthesised `Codable`, shared between cases of one shape. Core/CaseKeys.swift says why.

#if !hasFeature(Embedded)
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
#endif
