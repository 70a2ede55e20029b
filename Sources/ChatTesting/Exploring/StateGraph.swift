// The graph of all states, for promises: whether there is a way from the start that never reaches a good state. Such a
// way ends in a state without a fair step, or stays in a strongly connected component of bad states for ever. The
// components are found by Tarjan's algorithm (“Depth-first search and linear graph algorithms”, 1972), without recursion,
// in O(edges).

/// The states by number, with the steps between them. The start is the first.
struct StateGraph: Sendable {
    /// A way through bad states, and a loop of bad states after it; without a loop, its last state has no fair step.
    struct Lasso {
        let way: [UInt32]
        let loop: [UInt32]
    }

    private var edges: [[(choice: UInt32, to: UInt32)]] = []
    /// For each promise, the states where it is not kept, as far as the search took their steps.
    private var bad: [Set<UInt32>]
    /// For each promise, those of them without a fair step.
    private var ends: [Set<UInt32>]

    init(promises count: Int) {
        bad = Array(repeating: [], count: count)
        ends = bad
    }

    /// Adds the next state. Without a promise nothing is kept.
    mutating func add() { if !bad.isEmpty { edges.append([]) } }

    mutating func connect(_ from: UInt32, _ choice: UInt32, _ to: UInt32) {
        edges[Int(from)].append((choice, to))
    }

    /// Notes that a promise is not kept in a state, and whether no step from there is fair for it.
    mutating func note(_ state: UInt32, breaking promise: Int, isEnd: Bool) {
        bad[promise].insert(state)
        if isEnd { ends[promise].insert(state) }
    }

    /// A way from the start on which a promise is never kept, or `nil`. A loop counts only when it contains a fair step.
    func lasso(avoiding promise: Int, isFair: (UInt32, UInt32) -> Bool) -> Lasso? {
        let ways = ways(through: { bad[promise].contains(UInt32($0)) })
        let reached = ways.order
        if let end = reached.first(where: { ends[promise].contains(UInt32($0)) }) {
            return Lasso(way: ways.way(to: end), loop: [])
        }
        for component in components(where: Set(reached).contains) {
            let members = Set(component)
            for from in component {
                for (choice, to) in edges[from]
                where members.contains(Int(to)) && isFair(UInt32(from), choice) {
                    let back = self.ways(from: Int(to), through: members.contains)
                    return Lasso(way: ways.way(to: from), loop: [choice] + back.way(to: from))
                }
            }
        }
        return nil
    }

    /// The shortest ways from one state.
    private struct Ways {
        /// The reached states, the nearest first.
        var order: [Int] = []
        /// The last step to each, except to the first.
        var origin: [Int: (state: Int, choice: UInt32)] = [:]

        /// The choices of a way to a reached state.
        func way(to end: Int) -> [UInt32] {
            var (path, place): ([UInt32], Int) = ([], end)
            while let step = origin[place] {
                path.append(step.choice)
                place = step.state
            }
            return path.reversed()
        }
    }

    /// The shortest ways from a state, by default the start, to all that are reached through some states.
    private func ways(from start: Int = 0, through isIncluded: (Int) -> Bool) -> Ways {
        var ways = Ways()
        guard isIncluded(start) else { return ways }
        ways.order = [start]
        var next = 0
        while next < ways.order.count {
            let state = ways.order[next]
            next += 1
            for (choice, to) in edges[state] {
                let to = Int(to)
                guard isIncluded(to), to != start, ways.origin[to] == nil else { continue }
                ways.origin[to] = (state, choice)
                ways.order.append(to)
            }
        }
        return ways
    }

    /// The strongly connected components among some states, each in rising order.
    private func components(where isIncluded: (Int) -> Bool) -> [[Int]] {
        var index = Array(repeating: -1, count: edges.count)
        var low = index
        var isOnStack = Array(repeating: false, count: edges.count)
        var (stack, next, components): ([Int], Int, [[Int]]) = ([], 0, [])
        for root in edges.indices where isIncluded(root) && index[root] < 0 {
            var work: [(state: Int, edge: Int)] = [(root, 0)]
            while let (state, edge) = work.last {
                if edge == 0 {
                    (index[state], low[state]) = (next, next)
                    next += 1
                    stack.append(state)
                    isOnStack[state] = true
                }
                if edge < edges[state].count {
                    work[work.count - 1].edge += 1
                    let to = Int(edges[state][edge].to)
                    if !isIncluded(to) { continue }
                    if index[to] < 0 {
                        work.append((to, 0))
                    } else if isOnStack[to] {
                        low[state] = min(low[state], index[to])
                    }
                    continue
                }
                work.removeLast()
                if let parent = work.last?.state { low[parent] = min(low[parent], low[state]) }
                guard low[state] == index[state] else { continue }
                var component: [Int] = []
                while let member = stack.popLast() {
                    isOnStack[member] = false
                    component.append(member)
                    if member == state { break }
                }
                components.append(component.sorted())
            }
        }
        return components
    }
}
