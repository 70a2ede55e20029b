// The extent and the results of a search. A report claims no more than that: an incomplete search is reported as cut.

/// The result of a search.
public struct SearchReport<Subject: World>: Sendable {
    /// Whether every reachable state was visited, or why not.
    public enum Extent: Sendable, Equatable {
        /// The search goes on.
        case running
        /// Every reachable state was visited.
        case closed
        /// The limit of steps from the start was reached.
        case cutByDepth(Int)
        /// The limit of states was reached.
        case cutByStates(Int)
        /// The search was stopped.
        case stopped
        /// A broken law ended the search.
        case violated
    }

    /// The number of different states.
    public internal(set) var states = 0
    /// The number of steps taken, also to known states.
    public internal(set) var transitions = 0
    /// The most steps from the start to any state, on a shortest way.
    public internal(set) var depth = 0
    /// The number of steps from the start up to which every order was taken.
    public internal(set) var completeDepth = 0
    /// The duration.
    public internal(set) var duration = Duration.zero
    /// Whether everything was visited.
    public internal(set) var extent = Extent.running
    /// The instants at which answers arrived, the ages that were told apart, and what was left out.
    public internal(set) var grid = ""
    /// A law that is broken, on a shortest way.
    public internal(set) var violation: Violation<Subject>?
    /// The reason why nothing was checked; `nil` where something was.
    public internal(set) var nothing: NothingHappens?

    /// The steps between phases, when a diagram is drawn. Its order is that of a set: sort before showing.
    var arrows: Set<StateDiagram.Arrow> = []

    init() {}

    /// The report of a search that cannot begin.
    init(nothing: NothingHappens) { (extent, self.nothing) = (.stopped, nothing) }

    /// The steps in a second.
    public var rate: Double {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        return seconds > 0 ? Double(transitions) / seconds : 0
    }
}

extension SearchReport: CustomStringConvertible {
    /// A few words, such as “7,727 states, depth 12”.
    package var brief: String { "\(SearchReport.grouped(states)) states, depth \(depth)" }

    /// One line, such as “7,727 states, 61,816 transitions, depth 12, closed; 1.20 million transitions a second”. That
    /// of a cut search names the number of steps up to which every order was taken.
    public var description: String {
        let extent =
            switch extent {
            case .running: "so far"
            case .closed: "closed"
            case .cutByDepth(let depth): "cut at depth \(depth)"
            case .cutByStates(let states): "cut at \(SearchReport.grouped(states)) states"
            case .stopped: "stopped"
            case .violated: "ended by a violation"
            }
        let whole = completeDepth == 1 ? "every order of 1 step" : "every order of \(completeDepth) steps"
        let millions = (rate / 10_000).rounded() / 100
        return "\(SearchReport.grouped(states)) states, \(SearchReport.grouped(transitions)) transitions, "
            + "depth \(depth), \(extent)" + (self.extent == .closed ? "" : "; " + whole)
            + "; \(millions) million transitions a second"
            + (grid.isEmpty ? "" : "; \(grid)") + (nothing.map { "; \($0)" } ?? "")
    }

    private static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: index)
            index -= 3
        }
        return String(digits)
    }
}
