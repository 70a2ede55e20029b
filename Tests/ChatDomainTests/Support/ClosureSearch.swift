// A search of everything that can happen in a small world: breadth first, each state once, until there are no
// more. The laws are asked in every state, so what breaks one is found on a shortest way, which is printed.

import ChatDomain
import Testing

/// A world small enough to be searched whole.
protocol SearchedWorld {
    associatedtype Move

    /// What tells this state from others; equal keys have equal futures.
    var key: SearchKey { get }
    /// What can happen next.
    var moves: [Move] { get }
    /// The law that is broken here, if one is.
    var brokenLaw: String? { get }

    mutating func take(_ move: Move)
}

/// What a search has found.
struct ClosureSearch {
    private(set) var states = 0
    private(set) var transitions = 0
    /// Whether every state that can be reached was visited.
    private(set) var isClosed = false
    /// The broken law and the steps that lead there.
    private(set) var counterexample: String?

    /// Searches from one state. The limit keeps a world that has become too large from filling the memory.
    init<World: SearchedWorld>(_ start: World, limit: Int = 400_000) {
        var seen: Set<SearchKey> = [start.key]
        var origins: [(from: Int, move: World.Move)?] = [nil]
        var layer: [(index: Int, world: World)] = [(0, start)]
        while !layer.isEmpty {
            var next: [(index: Int, world: World)] = []
            for (index, world) in layer {
                states += 1
                for move in world.moves {
                    transitions += 1
                    var successor = world
                    successor.take(move)
                    if let law = successor.brokenLaw {
                        counterexample = ClosureSearch.tell(law, (index, move), origins)
                        return
                    }
                    guard seen.insert(successor.key).inserted else { continue }
                    next.append((origins.count, successor))
                    origins.append((index, move))
                    guard origins.count <= limit else { return }
                }
            }
            layer = next
        }
        isClosed = true
    }

    private static func tell<Move>(
        _ law: String, _ last: (from: Int, move: Move), _ origins: [(from: Int, move: Move)?]
    ) -> String {
        var steps = ["\(last.move)"]
        var place = last.from
        while let origin = origins[place] {
            steps.append("\(origin.move)")
            place = origin.from
        }
        let numbered = steps.reversed().enumerated().map { "\($0.offset + 1). \($0.element)" }
        return ([law] + numbered).joined(separator: "\n")
    }

    /// Expects that the world was searched whole and no law was broken, and prints how large it is.
    func expectLawful(_ name: String, atLeast least: Int, location: SourceLocation = #_sourceLocation) {
        print("\(name): \(states) states, \(transitions) transitions")
        #expect(counterexample == nil, "\(counterexample ?? "")", sourceLocation: location)
        #expect(counterexample != nil || isClosed, "the search was cut", sourceLocation: location)
        #expect(
            counterexample != nil || states >= least, "the world has shrunk to \(states)",
            sourceLocation: location)
    }
}

/// The small numbers that tell a state from others, eight in a word: most of the time of a search goes into keys.
struct SearchKey: Hashable {
    private var words: [UInt64] = []
    /// The numbers that fill no word yet, behind a one, so that their count shows.
    private var last: UInt64 = 1

    static func += (key: inout SearchKey, number: Int8) {
        let isLastOfWord = key.last >> 56 != 0
        if isLastOfWord {
            key.words.append(key.last)
            key.last = 1
        }
        key.last = key.last << 8 | UInt64(UInt8(bitPattern: number))
    }

    /// Adds a list with its length, so that no two lists in a row look alike.
    static func += (key: inout SearchKey, numbers: [Int8]) {
        let count = numbers.count
        key += Int8(truncatingIfNeeded: count)
        // A loop over the array would cost a search without optimisation three times as much.
        var index = 0
        while index < count {
            key += numbers[index]
            index += 1
        }
    }

    static func += (key: inout SearchKey, marks: Marks) {
        key += Int8(truncatingIfNeeded: marks.bits)
        key += Int8(truncatingIfNeeded: marks.bits >> 8)
    }
}

/// A set of numbers below sixteen, which costs a search next to nothing.
struct Marks: Hashable, Sequence, ExpressibleByArrayLiteral {
    fileprivate var bits: UInt16 = 0

    init(arrayLiteral elements: Int8...) {
        for element in elements { insert(element) }
    }

    var isEmpty: Bool { bits == 0 }
    var count: Int { bits.nonzeroBitCount }

    func contains(_ number: Int8) -> Bool { number >= 0 && bits & (1 << UInt16(number)) != 0 }

    func makeIterator() -> Iterator { Iterator(rest: bits) }

    /// The numbers in their order.
    struct Iterator: IteratorProtocol {
        fileprivate var rest: UInt16

        mutating func next() -> Int8? {
            guard rest != 0 else { return nil }
            let number = rest.trailingZeroBitCount
            rest &= rest - 1
            return Int8(number)
        }
    }

    /// Returns whether it was not there.
    @discardableResult
    mutating func insert(_ number: Int8) -> Bool {
        guard !contains(number) else { return false }
        bits |= 1 << UInt16(number)
        return true
    }

    /// Returns whether it was there.
    @discardableResult
    mutating func remove(_ number: Int8) -> Bool {
        guard contains(number) else { return false }
        bits &= ~(1 << UInt16(number))
        return true
    }

    mutating func formUnion(_ other: Marks) { bits |= other.bits }
    mutating func subtract(_ other: Marks) { bits &= ~other.bits }
}

extension Identifier {
    /// The last figure of a name, so that a model finds again what it has named by a number below sixteen.
    var figure: Int8 {
        guard let last = text.utf8.last else { return -1 }
        return Int8(truncatingIfNeeded: last) - 97
    }

    /// The name of a number below sixteen: a letter each.
    static func figures(_ prefix: String) -> [Self] {
        "abcdefghijklmnop".map { Self(prefix + String($0)) }
    }
}
