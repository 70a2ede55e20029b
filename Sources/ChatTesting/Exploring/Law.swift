// The laws of a world. A law is a question about one world; the engines ask it after every step, and once for every new
// state.

/// A law of a world.
public struct Law<Subject: World>: Sendable {
    /// The name of the law, as a failure shows it.
    public let name: String
    /// The description of the breach; `nil` where the law holds.
    let complaint: @Sendable (Subject) -> String?

    /// Creates a law with a function that describes its breach.
    public init(_ name: String, complaint: @escaping @Sendable (Subject) -> String?) {
        self.name = name
        self.complaint = complaint
    }

    /// Creates a law that holds or does not.
    public init(_ name: String, holds: @escaping @Sendable (Subject) -> Bool) {
        self.init(name) { holds($0) ? nil : "does not hold" }
    }
}

/// A law of a step, of the world before it and of the one after it. A search asks it after every step that changes
/// something, although the step leads to a known state: it is about what the normal form leaves out.
struct StepLaw<Subject: World>: Sendable {
    let name: String
    /// The description of the breach; `nil` where the law holds.
    let complaint: @Sendable (_ before: Subject, _ after: Subject) -> String?
}

/// A promise about the future: every run from the start reaches a good state in the end, if the world is fair.
///
/// Fairness: of the steps for which `isFair` is true, one is taken again and again, as long as one is possible. A loop of
/// states without such a step does not break the promise, because no run stays in it for ever. A state in which no such
/// step is possible does, because nothing else has to happen.
struct Promise<Subject: World>: Sendable {
    let name: String
    let isKept: @Sendable (Subject) -> Bool
    let isFair: @Sendable (Subject.Step) -> Bool
}
