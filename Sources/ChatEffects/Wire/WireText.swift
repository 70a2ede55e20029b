// Text of a server on its way to the screen, whatever the protocol: cut to a length that a person reads, without
// control characters, and without blanks at its ends.

import ChatDomain

extension JSONValue {
    /// A sentence for the person; nil when there is none.
    var sentence: ExactText? { string?.shown(limit: ClawlineAnswer.sentenceLimit) }

    /// A name; nil when there is none.
    var name: ExactText? { string?.shown(limit: ClawlineAnswer.nameLimit) }
}

extension ExactText {
    /// The text as it is shown; nil when nothing remains of it.
    func shown(limit: Int64) -> ExactText? {
        // The cut comes first and bounds the work; trimming comes last, since the cut may leave spaces at the end.
        let text = cut(toByteCount: limit).withoutControlCharacters.trimmed
        return text.isEmpty ? nil : text
    }
}

extension Arrival {
    /// Whether this is a message of a socket that is longer than a protocol's messages, whether or not the driver has
    /// kept it.
    func isMessage(over limit: Int64) -> Bool {
        switch self {
        case .tooLong: true
        case .text(let bytes): Int64(bytes.count) > limit
        default: false
        }
    }
}
