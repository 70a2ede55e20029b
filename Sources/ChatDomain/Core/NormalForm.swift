// The normal form of a value, for a search: two values with equal normal forms behave alike, although their clocks,
// attempts and minted names differ. Without it no search of a machine ends, because each retry makes a new state.
//
// A type says which of its parts carry a name or a time (`Normalizable`). Other parts are compared as they are, and so
// is the clock, because they may hold a time: a search then visits more states than necessary, and never fewer.

/// A value that can be put into its normal form.
public protocol Normalizable {
    /// Replaces names by the order of their first appearance and times by their distance from now, in place.
    mutating func normalize(_ form: inout NormalForm)
}

extension Normalizable {
    /// Leaves the value as it is, which is right for one without names and times.
    public mutating func normalize(_ form: inout NormalForm) {}
}

/// The names and the moment of one normal form. Start with `normalize(_:)` of the whole value, on a new form.
public struct NormalForm: Sendable {
    /// The moment from which times are measured.
    public let moment: Moment
    /// The age beyond which times are not distinguished.
    public let horizon: Interval
    // The first appearances, in order. A search has few of each, so a scan costs less than a hash.
    /// The attempts by the number that replaces them.
    package private(set) var attempts: [Attempt] = []
    private var names: [ExactText] = []
    /// Whether minted names and times stay as they are.
    private let isOfAttemptsOnly: Bool
    /// Whether a part may hold times as they are: then equal forms behave alike only at the same moment.
    package private(set) var mayHoldTimes = false

    /// Creates a form without names. The horizon must be longer than each duration that a feature compares an age with,
    /// and the wall clock must not be set back; then a time beyond the horizon behaves as one at it. Without a horizon,
    /// the ages of stored times grow for ever, and a search of a feature that stores times never closes.
    public init(moment: Moment, horizon: Interval = .max) {
        self.init(moment: moment, horizon: horizon, isOfAttemptsOnly: false)
    }

    private init(moment: Moment, horizon: Interval, isOfAttemptsOnly: Bool) {
        self.moment = moment
        self.horizon = horizon
        self.isOfAttemptsOnly = isOfAttemptsOnly
    }

    /// A form that replaces only attempts: two values have equal ones if everything else in them is the same. It is at
    /// the origin of both clocks, where no age is over.
    package static var ofAttempts: NormalForm {
        NormalForm(
            moment: Moment(now: .origin, wall: WallTime(nanosecondsSince1970: 0)), horizon: .max,
            isOfAttemptsOnly: true)
    }

    /// Forgets all attempts but the first, that many.
    package mutating func shrink(to count: Int) { attempts.removeLast(attempts.count - count) }

    /// Notes a part that stays as it is, because nothing says where its times stand.
    package mutating func leaveAsItIs() { mayHoldTimes = true }

    /// Replaces an attempt by its number among the attempts seen so far.
    public mutating func rename(_ attempt: inout Attempt) {
        for index in attempts.indices where attempts[index] == attempt {
            return attempt = Attempt(number: UInt64(index))
        }
        // Room for eight at once: few states carry more, and growing step by step would allocate for 1, 2, 4 and 8.
        if attempts.isEmpty { attempts.reserveCapacity(8) }
        attempts.append(attempt)
        attempt = Attempt(number: UInt64(attempts.count - 1))
    }

    /// Replaces a minted name by its number among the names seen so far. Only minted names may be replaced, because a
    /// reducer compares them only with each other.
    public mutating func rename<Kind>(_ identifier: inout Identifier<Kind>) {
        identifier = Identifier(renamed(identifier.text))
    }

    /// Replaces a name only if it has been seen before: a name that is minted here or by others.
    public mutating func renameKnown<Kind>(_ identifier: inout Identifier<Kind>) {
        if names.contains(identifier.text) { rename(&identifier) }
    }

    /// The number of a minted name.
    public mutating func renamed<Kind>(_ identifier: Identifier<Kind>) -> Identifier<Kind> {
        Identifier(renamed(identifier.text))
    }

    /// The normal form of a part, for a value that is built again from its parts.
    public mutating func normal<Part: Normalizable>(_ part: Part) -> Part {
        var normal = part
        normal.normalize(&self)
        return normal
    }

    /// Replaces a minted text that names something, such as a secret's handle.
    public mutating func rename(_ text: inout ExactText) { text = renamed(text) }

    package mutating func renamed(_ text: ExactText) -> ExactText {
        guard !isOfAttemptsOnly else { return text }
        for index in names.indices where names[index] == text { return NormalForm.ordinal(index) }
        if names.isEmpty { names.reserveCapacity(8) }
        names.append(text)
        return NormalForm.ordinal(names.count - 1)
    }

    /// Replaces an instant by its distance from now, at most the horizon in the past; `never` stays.
    public func relate(_ instant: inout Instant) {
        guard instant != .never, !isOfAttemptsOnly else { return }
        instant = .origin + max(instant - moment.now, .zero - horizon)
    }

    /// Replaces a wall time by its distance from now, at most the horizon in the past.
    public func relate(_ time: inout WallTime) {
        guard !isOfAttemptsOnly else { return }
        time = WallTime(nanosecondsSince1970: 0) + max(time - moment.wall, .zero - horizon)
    }

    /// Replaces a wall time that matters only in the future: one that is over becomes the latest that is over.
    public func relate(end time: inout WallTime) {
        guard !isOfAttemptsOnly else { return }
        relate(&time)
        time = max(time, WallTime(nanosecondsSince1970: -1))
    }

    /// Replaces a moment by its distance from now on both clocks.
    public func relate(_ moment: inout Moment) {
        relate(&moment.now)
        relate(&moment.wall)
    }

    /// The name of a position: a control character, which no name of a person or a server has, and digits.
    private static func ordinal(_ index: Int) -> ExactText {
        index < ordinals.count ? ordinals[index] : ExactText("\u{1}\(index)")
    }

    private static let ordinals: [ExactText] = (0..<64).map { ExactText("\u{1}\($0)") }
}

extension Array: Normalizable where Element: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        for index in indices { self[index].normalize(&form) }
    }
}

extension Optional: Normalizable where Wrapped: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) { self?.normalize(&form) }
}

extension Boxed: Normalizable where Value: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) { wrappedValue.normalize(&form) }
}

extension Attempt: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) { form.rename(&self) }
}

extension Instant: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) { form.relate(&self) }
}

extension WallTime: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) { form.relate(&self) }
}

extension SecretHandle: Normalizable {
    /// Handles are minted here, also those in stored records.
    public mutating func normalize(_ form: inout NormalForm) {
        self = SecretHandle(form.renamed(name))
    }
}

extension Never: Normalizable {}

extension FeatureEffect: Normalizable
where
    Call: Normalizable, Request: Normalizable, Frame: Normalizable, Key: Normalizable, Record: Normalizable,
    Timer: Normalizable
{
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .open(let call, let request): self = .open(form.normal(call), form.normal(request))
        case .send(let call, let frame): self = .send(form.normal(call), form.normal(frame))
        case .close(let call): self = .close(form.normal(call))
        case .load(let key, let attempt): self = .load(form.normal(key), form.normal(attempt))
        case .save(let record, let key, let attempt):
            self = .save(form.normal(record), under: form.normal(key), form.normal(attempt))
        case .erase(let key, let attempt): self = .erase(form.normal(key), form.normal(attempt))
        case .start(let timer, let delay): self = .start(form.normal(timer), after: delay)
        case .cancel(let timer): self = .cancel(form.normal(timer))
        case .haptic: break
        }
    }
}
