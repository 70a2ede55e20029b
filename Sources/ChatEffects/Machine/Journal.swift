// The inputs of a machine while its loop runs, for a recorder. A loop without a journal costs one comparison per input.
//
// Guarantee: no entry holds the text of a secret that arrived (L10). `SecretMask` masks secrets by the
// names of their members when an entry begins; one under another name is masked when the machine saves it.

import ChatDomain

/// The inputs of a machine since the last `take`, each with the machine after it.
@usableFromInline package struct Journal<Codec: Backend>: PlainValue {
    /// An input of a machine.
    @usableFromInline package enum Input: PlainValue {
        /// An action of the person or the front end.
        case sent(Codec.Subject.Action)
        /// The outcome of an operation.
        case received(Outcome)
        /// The timers that were due fired, at the moment of the entry.
        case advanced
    }

    /// An input, its time, and its result.
    @usableFromInline package struct Entry: PlainValue {
        /// The input.
        package var input: Input
        /// The time on both clocks.
        package let moment: Moment
        /// The machine after the input, with the operations that the input led to.
        package let machine: Machine<Codec>
    }

    /// The entries since the last `take`, in order.
    package private(set) var entries: [Entry] = []
    private var mask = SecretMask()

    /// Creates a journal without entries.
    package init() {}

    @usableFromInline
    mutating func append(_ input: Input, at moment: Moment, _ machine: Machine<Codec>) {
        var input = input
        if case .received(let outcome) = input { input = .received(mask.masked(outcome)) }
        for case .close(let call) in machine.outbox { mask.forget(call) }
        for case .save(_, _, .secret(let secret)) in machine.outbox {
            guard case .received(let outcome) = input else { continue }
            input = .received(outcome.without(secret))
        }
        entries.append(Entry(input: input, moment: moment, machine: machine))
    }

    /// Returns the entries, and forgets them.
    package mutating func take() -> [Entry] {
        let taken = entries
        entries.removeAll(keepingCapacity: true)
        return taken
    }
}

extension Outcome {
    /// The outcome of an arrival, with each occurrence of the secret, as JSON writes it, replaced by the placeholder.
    fileprivate func without(_ secret: Secret) -> Outcome {
        let text = Array(JSONValue.string(secret.reveal()).encoded.dropFirst().dropLast())
        switch self {
        case .arrived(let call, .text(let bytes)):
            return .arrived(call, .text(bytes.replacing(text, with: Array(Secret.placeholder.utf8))))
        case .arrived(let call, .body(let bytes)):
            return .arrived(call, .body(bytes.replacing(text, with: Array(Secret.placeholder.utf8))))
        default: return self
        }
    }
}

extension [UInt8] {
    /// The bytes with each occurrence of a part replaced. O(n · length of the part).
    fileprivate func replacing(_ part: [UInt8], with other: [UInt8]) -> [UInt8] {
        guard !part.isEmpty else { return self }
        var result: [UInt8] = []
        var index = 0
        while index < count {
            if count - index >= part.count, self[index..<index + part.count].elementsEqual(part) {
                result += other
                index += part.count
            } else {
                result.append(self[index])
                index += 1
            }
        }
        return result
    }
}
