// Text of a server on its way to the screen, whatever the protocol: cut to a length that a person reads, without
// control characters, and without blanks at its ends.

import ChatDomain

extension JSONValue {
    /// A sentence for the person; nil when there is none.
    var sentence: ExactText? { string?.shown(limit: ClawlineAnswer.sentenceLimit) }

    /// The sentence of an error of any shape: the text itself, that of the member which has one, or that of the first
    /// element. Empty when there is none. O(n).
    var errorSentence: ExactText {
        switch self {
        case .string(let text): return text
        case .array(let errors): return errors.first?.errorSentence ?? ""
        case .object(let error):
            for name in ["error", "message", "detail", "msg"] as [ExactText] {
                guard let sentence = error[name]?.errorSentence, !sentence.isEmpty else { continue }
                return sentence
            }
            return ""
        case .null, .bool, .number: return ""
        }
    }

    /// A name; nil when there is none.
    var name: ExactText? { string?.shown(limit: ClawlineAnswer.nameLimit) }
}

extension ExactText {
    /// The text as a server's name of something; nil when it is empty or too long for one (L8).
    func identifier<Kind>() -> Identifier<Kind>? {
        let identifier = Identifier<Kind>(self)
        return identifier.isGenuine ? identifier : nil
    }

    /// The server's sentence in the body of a refusal: that of a JSON text, nothing of a page, else the body itself.
    init(refusal body: [UInt8]) {
        let text = ExactText(decoding: body).trimmed
        if let json = try? JSONReader(JSONPolicy(malformedText: .replace)).value(of: body) {
            self = json.errorSentence.shown(limit: ClawlineAnswer.sentenceLimit) ?? ""
        } else if let first = text.utf8.first, "<{[".utf8.contains(first) {
            self = ""
        } else {
            self = text.shown(limit: ClawlineAnswer.sentenceLimit) ?? ""
        }
    }

    /// Whether these words stand in the text, in capitals or not. They are of ASCII, in lower case. O(n).
    func mentions(_ words: ExactText) -> Bool {
        let text = HTTPBytes.lowercased(utf8[...])
        return text.indices.contains { text[$0...].starts(with: words.utf8) }
    }

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
