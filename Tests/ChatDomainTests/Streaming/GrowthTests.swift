@testable import ChatDomain
import Testing

/// One growth for a stream and for a socket. What is checked of it here needs not be checked of its users.
@Suite("Growth: how a reply grows")
struct GrowthTests {
    private static let limits = Growth.Limits(text: 1_000, chunks: 8, chunkBytes: 100)

    private func at(_ milliseconds: Int64) -> Instant { .origin + .milliseconds(milliseconds) }

    /// What is shown once all of it is.
    private func text(_ growth: Growth) -> String {
        var growth = growth
        _ = growth.flush()
        return growth.shown.string
    }

    @Test(
        "L9: every way to tell a text, in every splitting and however often it is shown, gives the same text")
    func splittings() {
        let scalars = "e\u{301}a👨‍👩‍👧🇩🇪 and more".unicodeScalars.map { String($0) }
        for seed in 1...300 as ClosedRange<UInt64> {
            var dice = Entropy.seeded(seed)
            var parts: [String] = []
            for scalar in scalars {
                if parts.isEmpty || dice.next() % 3 == 0 {
                    parts.append(scalar)
                } else {
                    parts[parts.count - 1] += scalar
                }
            }
            var growths = [Growth](repeating: Growth(at: .origin), count: 3)
            var whole = ""
            for (index, part) in parts.enumerated() {
                whole += part
                let pieces: [Growth.Piece] = [
                    .token(ExactText(part)), .whole(ExactText(whole)),
                    .chunk(Int64(index), ExactText(part), isFinal: index == parts.count - 1),
                ]
                for (place, piece) in pieces.enumerated() {
                    let end = growths[place].take(piece, at: at(Int64(index)), Self.limits).end
                    #expect(end == (place == 2 && index == parts.count - 1 ? .complete : nil))
                    if dice.next() % 2 == 0 { _ = growths[place].flush() }
                    #expect(growths[place].byteCount == Int64(whole.utf8.count))
                }
            }
            for growth in growths { #expect(Array(text(growth).utf8) == Array(scalars.joined().utf8)) }
        }
    }

    @Test("L9, S15: every order of five numbered pieces, each perhaps twice, gives the same text and one end")
    func orders() {
        let parts: [ExactText] = ["a", "", "e\u{301}", "👨‍👩‍👧", "z"]
        for order in permutations([0, 1, 2, 3, 4]) {
            for twice in 0..<5 {
                var growth = Growth(at: .origin)
                var ends: [Growth.Taken.End] = []
                for index in order {
                    for _ in 0...(index == twice ? 1 : 0) {
                        let piece = Growth.Piece.chunk(Int64(index), parts[index], isFinal: index == 4)
                        if let end = growth.take(piece, at: .origin, Self.limits).end { ends.append(end) }
                    }
                }
                #expect(text(growth) == "ae\u{301}👨‍👩‍👧z" && ends == [.complete])
            }
        }
    }

    private func permutations(_ rest: [Int]) -> [[Int]] {
        guard rest.count > 1 else { return [rest] }
        return rest.flatMap { first in permutations(rest.filter { $0 != first }).map { [first] + $0 } }
    }

    @Test("S2: the first text of a batch is told apart, and an empty one is none")
    func batches() {
        var growth = Growth(at: .origin)
        let take = { (growth: inout Growth, piece: Growth.Piece) in
            growth.take(piece, at: .origin, Self.limits).batch
        }
        #expect(take(&growth, .token("")) == .nothing && take(&growth, .token("a")) == .first)
        #expect(take(&growth, .token("b")) == .further && take(&growth, .token("")) == .nothing)
        #expect(growth.shown.isEmpty && growth.flush() && !growth.flush())
        #expect(take(&growth, .whole("ab")) == .nothing && take(&growth, .whole("a")) == .first)
        #expect(take(&growth, .token("c")) == .further && text(growth) == "ac")
        #expect(take(&growth, .chunk(1, "y", isFinal: false)) == .nothing)
        #expect(take(&growth, .chunk(0, "x", isFinal: false)) == .further && text(growth) == "xy")
    }

    @Test("S2, L8: a batch that is full shows itself, and the timer runs on")
    func displaced() {
        let limits = Growth.Limits(text: 1_000_000, chunks: 8, chunkBytes: 100)
        let piece = Growth.Piece.token(ExactText(String(repeating: "x", count: 40_000)))
        var growth = Growth(at: .origin)
        #expect(growth.take(piece, at: .origin, limits).batch == .first)
        #expect(growth.take(piece, at: .origin, limits).batch == .displaced)
        #expect(growth.shown.byteCount == 40_000 && growth.byteCount == 80_000)
    }

    @Test("S1, S6: white space alone is no text: it replaces nothing, and is there once text follows")
    func whiteSpace() {
        let beginnings: [(earlier: String, piece: Growth.Piece)] = [
            ("", .token("\n\n")), ("", .whole("\n\n")), ("Hello", .whole("\n\n")),
            ("", .chunk(0, "\n\n", isFinal: false)), ("Hello", .chunk(0, "\n\n", isFinal: false)),
        ]
        for (earlier, piece) in beginnings {
            var growth = Growth(shown: LongText(earlier), at: .origin)
            #expect(growth.take(piece, at: .origin, Self.limits).batch == .first)
            #expect(!growth.flush() && growth.isEmpty && growth.shown.string == earlier)
            let further: Growth.Piece =
                growth.isNumbered ? .chunk(1, "New", isFinal: true) : .token("New")
            _ = growth.take(further, at: .origin, Self.limits)
            #expect(growth.flush() && growth.shown.string == "\n\nNew")
        }
        let limits = Growth.Limits(text: 1_000_000, chunks: 8, chunkBytes: 100)
        let long = Growth.Piece.token(ExactText(String(repeating: " ", count: 40_000)))
        var growth = Growth(at: .origin)
        #expect(growth.take(long, at: .origin, limits).batch == .first)
        #expect(growth.take(long, at: .origin, limits).batch == .further && growth.shown.isEmpty)
    }

    @Test("S7, S15: every event is a sign of life, also one that waits, is repeated or is empty")
    func life() {
        let pieces: [Growth.Piece] = [
            .token("a"), .token(""), .whole("a"), .whole("a"), .chunk(0, "a", isFinal: false),
            .chunk(0, "a", isFinal: false), .chunk(2, "c", isFinal: true), .chunk(9, "j", isFinal: false),
        ]
        var growth = Growth(at: .origin)
        for (index, piece) in pieces.enumerated() {
            let now = at(Int64(index) * 20_000)
            _ = growth.take(piece, at: now, Self.limits)
            #expect(growth.lastArrival == now && growth.silence(at: now, limit: .seconds(30)) == .seconds(30))
        }
        let last = growth.lastArrival
        #expect(growth.silence(at: last + .seconds(29), limit: .seconds(30)) == .seconds(1))
        #expect(growth.silence(at: last + .seconds(30), limit: .seconds(30)) == nil)
    }

    @Test(
        "S15: the timer of a gap starts with it, starts anew when another piece is missing, and goes with it")
    func gap() {
        var growth = Growth(at: .origin)
        let take = { (growth: inout Growth, index: Int64) in
            growth.take(.chunk(index, "x", isFinal: false), at: .origin, Self.limits).gap
        }
        #expect(take(&growth, 0) == .unchanged && !growth.hasGap)
        #expect(take(&growth, 2) == .start && take(&growth, 4) == .unchanged && growth.hasGap)
        #expect(take(&growth, 2) == .unchanged && take(&growth, 1) == .start)
        #expect(take(&growth, 3) == .cancel && !growth.hasGap && growth.isNumbered)
    }

    @Test(
        "S15: the first numbered piece takes the place of what an earlier connection has shown, and only that one"
    )
    func toldAnew() {
        var growth = Growth(shown: LongText("Hel"), at: .origin)
        _ = growth.take(.chunk(1, "lo", isFinal: false), at: .origin, Self.limits)
        #expect(text(growth) == "Hel")
        _ = growth.take(.chunk(0, "Hal", isFinal: false), at: .origin, Self.limits)
        #expect(text(growth) == "Hallo")
    }

    @Test(
        "L8, C21: too long in any way, or too much behind a gap, is an end of its own, and what came before stays"
    )
    func limits() {
        let long = ExactText(String(repeating: "x", count: 600))
        for piece in [Growth.Piece.token(long), .whole(ExactText(long.string + long.string))] {
            var growth = Growth(at: .origin)
            _ = growth.take(.token(long), at: .origin, Self.limits)
            #expect(growth.take(piece, at: .origin, Self.limits).end == .tooLong && growth.byteCount == 1_000)
        }
        for count in [600, 10] {
            var growth = Growth(at: .origin)
            let part = ExactText(String(repeating: "x", count: count))
            _ = growth.take(.chunk(0, "a", isFinal: false), at: .origin, Self.limits)
            var ends: [Growth.Taken.End] = []
            for index in 2...10 as ClosedRange<Int64> {
                let taken = growth.take(.chunk(index, part, isFinal: false), at: .origin, Self.limits)
                if let end = taken.end { ends.append(end) }
            }
            #expect(ends == [.gap] && text(growth) == "a")
        }
        var growth = Growth(at: .origin)
        let roomy = Growth.Limits(text: 1_000, chunks: 8, chunkBytes: 10_000)
        for index in [2, 1] as [Int64] {
            _ = growth.take(.chunk(index, long, isFinal: false), at: .origin, roomy)
        }
        #expect(growth.take(.chunk(0, long, isFinal: false), at: .origin, roomy).end == .tooLong)
        #expect(growth.byteCount == 1_000, "what comes behind the piece that was too much is not taken")
        var full = Growth(at: .origin)
        for (index, count) in [(2, 1), (1, 400)] as [(Int64, Int)] {
            let part = ExactText(String(repeating: "x", count: count))
            _ = full.take(.chunk(index, part, isFinal: index == 2), at: .origin, roomy)
        }
        let end = full.take(.chunk(0, long, isFinal: false), at: .origin, roomy).end
        #expect(end == .tooLong, "what just reaches the limit is not complete without its last piece")
        for index in [Int64.max, -1, .min] {
            #expect(growth.take(.chunk(index, "x", isFinal: true), at: .origin, roomy).batch == .nothing)
        }
    }

    @Test("L8, L9, C21: a text that is too long is cut at the same place, however it is told")
    func cuts() {
        let whole = "ae\u{301}👨‍👩‍👧🇩🇪z"
        let scalars = whole.unicodeScalars.map { String($0) }
        for limit in -1..<whole.utf8.count {
            var cut = ""
            for scalar in scalars {
                if cut.utf8.count + scalar.utf8.count > limit { break }
                cut += scalar
            }
            let limits = Growth.Limits(text: Int64(limit), chunks: 100, chunkBytes: 100)
            let tellings: [[Growth.Piece]] = [
                [.token(ExactText(whole))], [.whole(ExactText(whole))],
                [.chunk(0, ExactText(whole), isFinal: true)],
                scalars.map { .token(ExactText($0)) },
                scalars.indices.map { .whole(ExactText(scalars[...$0].joined())) },
                scalars.indices.reversed().map {
                    .chunk(Int64($0), ExactText(scalars[$0]), isFinal: $0 == scalars.count - 1)
                },
            ]
            for (place, pieces) in tellings.enumerated() {
                var growth = Growth(at: .origin)
                var end: Growth.Taken.End?
                for piece in pieces where end == nil { end = growth.take(piece, at: .origin, limits).end }
                #expect(end == .tooLong, "\(limit) bytes, told in way \(place)")
                #expect(Array(text(growth).utf8) == Array(cut.utf8), "\(limit) bytes, told in way \(place)")
            }
        }
    }

    @Test("S6, L9: the text of an earlier connection stays in view until this one brings text")
    func earlierText() {
        let beginnings: [(piece: Growth.Piece, isAnew: Bool)] = [
            (.chunk(0, "", isFinal: false), true), (.whole(""), true), (.token(""), false),
        ]
        for (beginning, isAnew) in beginnings {
            for isShownBetween in [false, true] {
                var growth = Growth(shown: LongText("Hello"), at: .origin)
                _ = growth.take(beginning, at: .origin, Self.limits)
                let isChanged = isShownBetween && growth.flush()
                #expect(!isChanged)
                #expect(text(growth) == "Hello" && growth.isEmpty)
                let further: Growth.Piece =
                    growth.isNumbered ? .chunk(1, " you", isFinal: true) : .token(" you")
                _ = growth.take(further, at: .origin, Self.limits)
                #expect(text(growth) == (isAnew ? " you" : "Hello you"))
            }
        }
    }
}
