// The names of a gateway's sessions, which are conversations here. Runs of the gateway's own sessions are none.

import ChatDomain

/// The conversations of a connection by the names of their sessions.
struct OpenClawSessionNames: DomainValue {
    /// The gateway's name of the main session, once the hello or an event has told it.
    private var main: ExactText?

    /// Takes the greeting of the gateway, which names the main session. A gateway with several agents has one for each.
    mutating func greeted(_ hello: JSONValue) {
        main = hello["snapshot"]?["sessionDefaults"]?["mainSessionKey"]?.string
    }

    /// The conversation of a session. The main one is `main`, and in its long form `agent:AGENT:main` of the agent that
    /// the gateway has named, or else of the first that is seen. Nil for a key that is too long for a name (L8).
    mutating func conversation(of key: ExactText?) -> ConversationID? {
        guard let key, !key.isEmpty, key != "main", key != main else { return .main }
        guard let long: ConversationID = key.identifier() else { return nil }
        guard let short = Self.short(key) else { return long }
        if short == "main", main == nil {
            main = key
            return .main
        }
        return ConversationID.isMinted(ConversationID(short)) ? ConversationID(short) : long
    }

    /// The short name in the long form `agent:AGENT:NAME` of a session's key, as the events of its runs have it.
    private static func short(_ key: ExactText) -> ExactText? {
        let parts = key.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].elementsEqual("agent".utf8) else { return nil }
        return ExactText(decoding: Array(parts[2]))
    }

    static func key(of conversation: ConversationID) -> ExactText {
        conversation == .main ? "main" : conversation.text
    }

    /// Whether an event is of a session that the gateway runs for itself: one that another session has spawned, or one of
    /// its scheduler. Nobody opens such a session.
    static func isOfMachine(_ payload: JSONValue) -> Bool {
        if payload["spawnedBy"]?.string != nil { return true }
        let parts = payload["sessionKey"]?.string?.utf8.split(separator: UInt8(ascii: ":")) ?? []
        guard parts.count > 3, parts[0].elementsEqual("agent".utf8) else { return false }
        return ["subagent", "cron"].contains { parts[2].elementsEqual($0.utf8) }
    }
}
