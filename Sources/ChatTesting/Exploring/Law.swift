// What must hold. A law is a question about one world; the engines ask it after every step, and of every new state once.

/// A law of a world.
public struct Law<Subject: World>: Sendable {
    /// The name of the law, as a failure shows it.
    public let name: String
    /// Says how the law is broken; `nil` where it holds.
    let complaint: @Sendable (Subject) -> String?

    /// Creates a law whose question answers with a complaint.
    public init(_ name: String, complaint: @escaping @Sendable (Subject) -> String?) {
        self.name = name
        self.complaint = complaint
    }

    /// Creates a law that holds or does not.
    public init(_ name: String, holds: @escaping @Sendable (Subject) -> Bool) {
        self.init(name) { holds($0) ? nil : "does not hold" }
    }
}

/// A promise about the future: whatever happens, a good state comes in the end, if the world is fair.
///
/// Fairness: of the steps for which `isFair` answers true, one is taken again and again. A loop of states without such a
/// step does not break the promise, since nobody goes round it for ever.
struct Promise<Subject: World>: Sendable {
    let name: String
    let isKept: @Sendable (Subject) -> Bool
    let isFair: @Sendable (Subject.Step) -> Bool
}
