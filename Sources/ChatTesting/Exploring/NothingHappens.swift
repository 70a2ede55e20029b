// The error of runs that check nothing, so that a test with an empty list does not pass in silence.

/// Nothing could happen in a run, so nothing was checked.
public struct NothingHappens: Error, CustomStringConvertible {
    /// The reason, as a sentence.
    public let description: String
}
