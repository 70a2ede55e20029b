// The names of attempts in a scenario. The test names them freely and the machine counts them, so each side has a form
// of attempts that lasts for the whole scenario. Two effects are the same if all else in them is equal.
//
// In a part of an effect whose type is `Normalizable`, the type renames the attempts. Any other part is compared as it is;
// if that fails, or if it is the name of a call, it is searched for attempts, which takes microseconds.

import ChatDomain

/// The relation between the names of the test and the attempts of the machine.
@usableFromInline
struct ScenarioNames<F: Feature> {
    /// The names of the test.
    @usableFromInline var said = NormalForm.ofAttempts
    /// The attempts of the machine.
    @usableFromInline var seen = NormalForm.ofAttempts
    @usableFromInline let call = Renaming<F.Call>(isCall: true)
    @usableFromInline let request = Renaming<F.Request>()
    @usableFromInline let frame = Renaming<F.Frame>()
    @usableFromInline let key = Renaming<F.Key>()
    @usableFromInline let record = Renaming<F.Record>()
    @usableFromInline let timer = Renaming<F.Timer>()

    @usableFromInline
    init() {}

    /// The number of names and of attempts so far.
    @usableFromInline
    typealias Extent = (said: Int, seen: Int)
    @usableFromInline var extent: Extent { (said.attempts.count, seen.attempts.count) }

    /// Forgets the names and attempts since an earlier extent.
    @usableFromInline
    mutating func shrink(to extent: Extent) {
        said.shrink(to: extent.said)
        seen.shrink(to: extent.seen)
    }

    /// The machine's attempt for a name.
    @usableFromInline
    func attempt(named name: Attempt) -> Attempt? {
        said.attempts.firstIndex(of: name).map { seen.attempts[$0] }
    }

    /// The test's name for an attempt of the machine.
    func name(of attempt: Attempt) -> Attempt? {
        seen.attempts.firstIndex(of: attempt).map { said.attempts[$0] }
    }

    /// Whether two parts are the same, without a new name for either.
    @usableFromInline
    func isSame<Part: Equatable>(_ said: Part, _ seen: Part, _ renaming: Renaming<Part>) -> Bool {
        var scratch = self
        // Equal numbers in a name of the test and in one of the machine may stand for two attempts.
        let isSame =
            renaming.rename == nil ? scratch.matchByLooking(said, seen) : scratch.match(said, seen, renaming)
        // A name that no checked effect has brought is not the test's to choose: it is the machine's number.
        return isSame && (renaming.isCall || scratch.extent.said == extent.said || said == seen)
    }

    /// Whether two lists of effects are the same.
    @inlinable
    mutating func match(_ said: [F.Effect], _ seen: [F.Effect]) -> Bool {
        guard said.count == seen.count else { return false }
        for index in said.indices where !match(said[index], seen[index]) { return false }
        return true
    }

    /// Whether a list of effects occurs in another in its order.
    @inlinable
    mutating func find(_ said: [F.Effect], among seen: [F.Effect]) -> Bool {
        var position = seen.startIndex
        for effect in said {
            while true {
                guard position < seen.endIndex else { return false }
                let before = extent
                position += 1
                if match(effect, seen[position - 1]) { break }
                shrink(to: before)
            }
        }
        return true
    }

    @inlinable
    mutating func match(_ said: F.Effect, _ seen: F.Effect) -> Bool {
        switch (said, seen) {
        case (.open(let one, let asked), .open(let other, let otherAsked)):
            match(one, other, call) && match(asked, otherAsked, request)
        case (.send(let one, let content), .send(let other, let otherContent)):
            match(one, other, call) && match(content, otherContent, frame)
        case (.close(let one), .close(let other)):
            match(one, other, call)
        case (.load(let one, let attempt), .load(let other, let otherAttempt)):
            match(one, other, key) && match(attempt, otherAttempt)
        case (.save(let content, let one, let attempt), .save(let otherContent, let other, let otherAttempt)):
            match(content, otherContent, record) && match(one, other, key) && match(attempt, otherAttempt)
        case (.erase(let one, let attempt), .erase(let other, let otherAttempt)):
            match(one, other, key) && match(attempt, otherAttempt)
        case (.start(let one, let delay), .start(let other, let otherDelay)):
            delay == otherDelay && match(one, other, timer)
        case (.cancel(let one), .cancel(let other)):
            match(one, other, timer)
        case (.haptic, .haptic):
            true
        default:
            false
        }
    }

    @inlinable
    mutating func match(_ said: Attempt, _ seen: Attempt) -> Bool {
        var (one, other) = (said, seen)
        self.said.rename(&one)
        self.seen.rename(&other)
        return one == other
    }

    @inlinable
    mutating func match<Part: Equatable>(_ said: Part, _ seen: Part, _ renaming: Renaming<Part>) -> Bool {
        guard let rename = renaming.rename else {
            return !renaming.isCall && said == seen || matchByLooking(said, seen)
        }
        var (one, other) = (said, seen)
        rename(&one, &self.said)
        rename(&other, &self.seen)
        return one == other
    }

    /// Compares part by part, and attempts by their names.
    @usableFromInline
    mutating func matchByLooking<Part>(_ said: Part, _ seen: Part) -> Bool {
        var scratch = self
        defer { self = scratch }
        return Difference.isSame(said, seen) { scratch.match($0, $1) }
    }
}

/// The renaming of the attempts in one type, if the type has one.
@usableFromInline
struct Renaming<Value> {
    @usableFromInline let rename: ((inout Value, inout NormalForm) -> Void)?
    /// Calls carry attempts.
    @usableFromInline let isCall: Bool

    @usableFromInline
    init(isCall: Bool = false) {
        rename = (Value.self as? any Normalizable.Type).map { Renaming.rename($0) }
        self.isCall = isCall
    }

    private static func rename<Known: Normalizable>(
        _ type: Known.Type
    ) -> (inout Value, inout NormalForm) -> Void {
        // `Known` is `Value`, as the cast of the type has shown. A cast of each value would cost most of a step.
        { value, form in
            withUnsafeMutableBytes(of: &value) { bytes in
                bytes.baseAddress?.assumingMemoryBound(to: Known.self).pointee.normalize(&form)
            }
        }
    }
}
