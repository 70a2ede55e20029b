// The normal form of a value, for a search: two values with equal normal forms behave alike, although their clocks, their
// attempts and their minted names differ. Without it no search of a machine ends, because each retry makes a new state.
//
// A type says which of its parts carry a name or a time (`Normalizable`). A part that it does not mention is compared as
// it is: a search then visits more states than it must, and never fewer.

/// A value that can be put into its normal form.
public protocol Normalizable {
    /// Replaces names by the order of their first appearance and times by their distance from now, in place.
    mutating func normalize(_ form: inout NormalForm)
}

extension Normalizable {
    /// Leaves the value as it is, which is right for one without names and times.
    public mutating func normalize(_ form: inout NormalForm) {}
}

/// The names and the present of one normal form. Start with `normalize(_:)` of the whole value, on a new form.
public struct NormalForm {
    /// The moment from which times are measured.
    public let moment: Moment
    // The first appearances, in order. A search has few of each, so a scan costs less than a hash.
    private var attempts: [Attempt] = []
    private var names: [ExactText] = []

    /// Creates a form without names.
    public init(moment: Moment) { self.moment = moment }

    /// Replaces an attempt by its number among the attempts seen so far.
    public mutating func rename(_ attempt: inout Attempt) {
        let index = attempts.firstIndex(of: attempt) ?? attempts.count
        if index == attempts.count { attempts.append(attempt) }
        attempt = Attempt(number: UInt64(index))
    }

    /// Replaces an attempt, if there is one.
    public mutating func rename(_ attempt: inout Attempt?) {
        guard var known = attempt else { return }
        rename(&known)
        attempt = known
    }

    /// Replaces a minted name by its number among the names seen so far. Only names that were minted may be replaced: a
    /// reducer compares them with each other and with nothing else.
    public mutating func rename<Kind>(_ identifier: inout Identifier<Kind>) {
        let index = names.firstIndex(of: identifier.text) ?? names.count
        if index == names.count { names.append(identifier.text) }
        identifier = Identifier(NormalForm.ordinal(index))
    }

    /// Replaces a minted name, if there is one.
    public mutating func rename<Kind>(_ identifier: inout Identifier<Kind>?) {
        guard var known = identifier else { return }
        rename(&known)
        identifier = known
    }

    /// Replaces a minted text that names something, such as a secret's handle.
    public mutating func rename(_ text: inout ExactText) {
        let index = names.firstIndex(of: text) ?? names.count
        if index == names.count { names.append(text) }
        text = NormalForm.ordinal(index)
    }

    /// Replaces an instant by its distance from now; `never` stays.
    public func relate(_ instant: inout Instant) {
        if instant != .never { instant = .origin + (instant - moment.now) }
    }

    /// Replaces a wall time by its distance from now.
    public func relate(_ time: inout WallTime) {
        time = WallTime(nanosecondsSince1970: 0) + (time - moment.wall)
    }

    /// The name of a position: a control character apart from all names that people and servers give, and digits.
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
