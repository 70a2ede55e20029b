// The error of runs that check nothing, or less than they say: a test with an empty list, or with a step that names
// nothing any more, does not pass in silence.

/// Nothing could happen in a run, or in one of its steps, so it was not checked.
public struct NothingHappens: Error, CustomStringConvertible {
    /// The reason, in words.
    public let description: String

    /// An alphabet of which nothing is possible at the start.
    static let impossible = NothingHappens(
        description: "No step was taken: nothing in the list of events is possible.")
}
