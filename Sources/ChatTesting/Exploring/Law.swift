// The laws of a world. A law is a question about one world, which the engines ask after every step, and once for every
// new state; or about a step, with the worlds before and after it, which they ask after every step.

/// A law of a world.
public struct Law<Subject: World>: Sendable {
    /// The name of the law, as a failure shows it.
    public let name: String
    /// The description of the breach; `nil` where the law holds.
    let complaint: @Sendable (Subject) -> String?
    /// The description of the breach by a step; `nil` where the law holds. A law that sees one world has none.
    let stepComplaint: (@Sendable (_ before: Subject, Subject.Step, _ after: Subject) -> String?)?

    /// Creates a law with a function that describes its breach.
    public init(_ name: String, complaint: @escaping @Sendable (Subject) -> String?) {
        self.name = name
        self.complaint = complaint
        stepComplaint = nil
    }

    /// Creates a law of each step, and perhaps of each world as well.
    init(
        ofSteps name: String,
        _ stepComplaint: @escaping @Sendable (Subject, Subject.Step, Subject) -> String?,
        complaint: @escaping @Sendable (Subject) -> String? = { _ in nil }
    ) {
        self.name = name
        self.complaint = complaint
        self.stepComplaint = stepComplaint
    }

    /// Creates a law that holds or does not.
    public init(_ name: String, holds: @escaping @Sendable (Subject) -> Bool) {
        self.init(name) { holds($0) ? nil : "does not hold" }
    }

    /// The description of the breach by a step, or by the world after it; `nil` where the law holds.
    func breach(_ before: Subject, _ step: Subject.Step, _ after: Subject) -> String? {
        stepComplaint?(before, step, after) ?? complaint(after)
    }
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
