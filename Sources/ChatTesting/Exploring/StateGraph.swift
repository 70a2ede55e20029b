// The graph of all states, for promises: whether there is a way that never reaches a good state. Such a way ends in a
// state without steps, or stays in a strongly connected component of bad states for ever. The components are
// found by Tarjan's algorithm (“Depth-first search and linear graph algorithms”, 1972), without recursion, in O(edges).

/// The states by number, with the steps between them.
struct StateGraph: Sendable {
    /// A way to a bad state, and a loop of bad states after it; without a loop, the state has no steps.
    struct Lasso {
        let entry: UInt32
        let loop: [UInt16]
    }

    private let keepsEdges: Bool
    /// For each promise and state, whether the promise is kept there.
    private var isKept: [[Bool]] = []
    private var edges: [[(choice: UInt16, to: UInt32)]] = []
    /// The states without steps. A state whose steps the search did not take is not among them.
    private var ends: [UInt32] = []

    init(keepsEdges: Bool) { self.keepsEdges = keepsEdges }

    mutating func add<Subject: World>(_ world: Subject, _ promises: [Promise<Subject>]) {
        guard keepsEdges else { return }
        isKept.append(promises.map { $0.isKept(world) })
        edges.append([])
    }

    mutating func connect(_ from: UInt32, _ choice: UInt16, _ to: UInt32) {
        edges[Int(from)].append((choice, to))
    }

    mutating func end(at state: UInt32) { ends.append(state) }

    /// A way on which a promise is never kept, or `nil`. A loop counts only when it contains a fair step.
    func lasso(avoiding promise: Int, isFair: (UInt32, UInt16) -> Bool) -> Lasso? {
        let isBad = { (state: Int) in !isKept[state][promise] }
        for state in ends where isBad(Int(state)) { return Lasso(entry: state, loop: []) }
        for component in components(where: isBad) {
            let members = Set(component)
            for from in component {
                for (choice, to) in edges[from]
                where members.contains(Int(to)) && isFair(UInt32(from), choice) {
                    guard let back = way(from: Int(to), to: from, within: members) else { continue }
                    return Lasso(entry: UInt32(from), loop: [choice] + back)
                }
            }
        }
        return nil
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

    /// The choices of a shortest way between two states of a component.
    private func way(from: Int, to: Int, within members: Set<Int>) -> [UInt16]? {
        var origin: [Int: (state: Int, choice: UInt16)] = [:]
        var (queue, next) = ([from], 0)
        while next < queue.count {
            let state = queue[next]
            next += 1
            if state == to {
                var (path, place): ([UInt16], Int) = ([], to)
                while place != from, let step = origin[place] {
                    path.append(step.choice)
                    place = step.state
                }
                return path.reversed()
            }
            for (choice, successor) in edges[state] {
                let successor = Int(successor)
                guard members.contains(successor), successor != from, origin[successor] == nil else {
                    continue
                }
                origin[successor] = (state, choice)
                queue.append(successor)
            }
        }
        return nil
    }
}
