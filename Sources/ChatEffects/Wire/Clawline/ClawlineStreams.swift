// The names of conversations on a connection. A newer server names the stream of each message by a session key, such as
// `agent:main:clawline:user_1:main`; an older one has one stream and no names. The main conversation is the person's
// main stream, under any key, so that no stored record depends on the kind of server.

import ChatDomain

/// The streams of a connection, as a newer server calls its conversations.
public struct ClawlineStreams: DomainValue {
    /// The key of the person's main stream, once a frame has shown it. The first key of that form counts: a server with
    /// several agents lists its own agent first.
    package private(set) var main: ExactText?

    /// The conversation of a stream; without a key, the main one, and nil for a key that is too long for a name (L8).
    /// Remembers the key of the main one.
    mutating func conversation(_ key: ExactText?) -> ConversationID? {
        guard let key, !key.isEmpty else { return .main }
        guard let stream: ConversationID = key.identifier() else { return nil }
        if main == nil, Self.isMain(key) { main = key }
        return key == main ? .main : stream
    }

    /// Whether a key has the form `agent:AGENT:clawline:PERSON:main`.
    private static func isMain(_ key: ExactText) -> Bool {
        let parts = key.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count == 5 && parts[0].elementsEqual("agent".utf8)
            && parts[2].elementsEqual("clawline".utf8) && parts[4].elementsEqual("main".utf8)
    }
}
