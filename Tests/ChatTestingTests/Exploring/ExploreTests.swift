import ChatDomain
import ChatEffects
@testable import ChatTesting
import Testing

@Suite("Exploring")
struct ExploreTests {
    @Test("a feature without a mistake is searched to closure, and the report says what was visited")
    func closure() throws {
        let report = try Fetch.exploration().everyOrder()
        #expect(report.extent == .closed && report.states > 50 && report.transitions > report.states)
        #expect(report.grid.contains("1 ns before each deadline"))
        #expect(report.description.contains("closed"))
    }

    @Test("the progress of a search claims nothing that only its end shows")
    func progress() throws {
        let told = Locked<[SearchReport<MachineWorld<Uncoded<Fetch>>>]>([])
        try Fetch.exploration().telling { report in told.withLock { $0.append(report) } }.everyOrder()
        let reports = told.withLock { $0 }
        #expect(reports.count > 2 && reports.last?.extent == .closed)
        for report in reports.dropLast() {
            #expect(report.extent != .closed && !report.description.contains("closed"), "\(report)")
        }
    }

    @Test("one processor and two find the same states")
    func processors() throws {
        let one = try Fetch.exploration().everyOrder(processors: 1)
        let two = try Fetch.exploration().everyOrder(processors: 2)
        #expect(one.states == two.states && one.transitions == two.transitions && one.depth == two.depth)
    }

    @Test(
        "each mistake is found on a shortest way, and by random runs that shrink to as few steps",
        arguments: [
            (Fetch.Mistake.forgetsToCancelTheLimit, 2), (.takesAnyAttempt, 3), (.forgetsTheLimit, 1),
            (.takesLateAnswers, 2),
        ])
    func mistakes(_ mistake: Fetch.Mistake, _ length: Int) throws {
        let report = Fetch.exploration(mistake).search()
        let violation = try #require(report.violation)
        #expect(report.extent == .violated && violation.steps.count == length, "\(violation)")
        let drawn = try #require(throws: Violation<MachineWorld<Uncoded<Fetch>>>.self) {
            try Fetch.exploration(mistake).random(seeds: 1...200, steps: 60)
        }
        #expect(drawn.steps.count == length && drawn.seed != nil, "\(drawn)")
        #expect(throws: Violation<MachineWorld<Uncoded<Fetch>>>.self) {
            try Fetch.exploration(mistake).replay(drawn.steps)
        }
        try Fetch.exploration().replay(drawn.steps)
    }

    private func cancelled(_ mistake: Fetch.Mistake?) -> Explore<Uncoded<Fetch>> {
        Explore(
            Fetch(mistake: mistake), from: .idle,
            [
                .person(.started, .cancelled), .calls { _ in ["text"] },
                .ends(.refused(status: 401, retryAfter: nil, message: "")),
            ]
        )
        .noGhosts()
    }

    @Test(
        "L4: a late event or end is asked about where its call ends, also when that leads back to the start",
        arguments: [Fetch.Mistake.takesLateAnswers, .takesLateRefusals])
    func ghosts(_ mistake: Fetch.Mistake) throws {
        try cancelled(nil).everyOrder()
        let violation = try #require(cancelled(mistake).search().violation)
        #expect(violation.steps == [.person(.started), .person(.cancelled)], "\(violation)")
    }

    @Test("L4: a call that has ended before the search begins may answer late, whichever is said first")
    func formerGhosts() throws {
        func asked(_ mistake: Fetch.Mistake?) -> Explore<Uncoded<Fetch>> {
            Explore(Fetch(mistake: mistake), from: .idle, [.calls { _ in ["text"] }])
        }
        func ended(_ exploration: Explore<Uncoded<Fetch>>) -> Explore<Uncoded<Fetch>> {
            exploration.after(.person(.started), .person(.cancelled))
        }
        #expect(ended(asked(nil)).noGhosts().search().violation == nil)
        for exploration in [
            ended(asked(.takesLateAnswers)).noGhosts(), ended(asked(.takesLateAnswers).noGhosts()),
        ] {
            let violation = try #require(exploration.search().violation)
            #expect(violation.steps.isEmpty && violation.complaint.contains(".received"), "\(violation)")
        }
    }

    @Test("L4: a load that has failed may bring its record late")
    func lateLoad() throws {
        func found(_ takesLateLoads: Bool) -> SearchReport<MachineWorld<Uncoded<Keeping>>> {
            Explore(
                Keeping(key: .plain, takesLateLoads: takesLateLoads), from: Keeping.State(),
                [.person(.given, .asked).atMost(2), .storage(.answered, .failed(.unavailable))]
            )
            .noGhosts()
            .search()
        }
        #expect(found(false).extent == .closed)
        let violation = try #require(found(true).violation)
        // The save and its answer, the load and its failure.
        #expect(violation.steps.count == 4 && violation.complaint.contains(".loaded"), "\(violation)")
    }

    private func promised(
        _ mistake: Fetch.Mistake?, _ clock: Happening<Fetch> = .clock(.deadline)
    ) -> Explore<Uncoded<Fetch>> {
        Explore(
            Fetch(mistake: mistake), from: .idle,
            [.person(.started).atMost(1), .ends(.failed(.lost)), clock]
        )
        .after(.person(.started))
        .eventually("it ends") { !$0.state.isUnderWay }
    }

    @Test("a promise is broken by a loop that is fair, and not by one in which time stands still")
    func promise() throws {
        #expect(promised(nil).search().violation == nil)
        let endless = try #require(promised(.countsNothing).search().violation)
        let loop = try #require(endless.loop)
        #expect(!loop.isEmpty, "\(endless)")
        #expect(endless.test.contains("        ], forever: [\n            .clock("), "\(endless.test)")
        let again = try #require(throws: Violation<MachineWorld<Uncoded<Fetch>>>.self) {
            try promised(.countsNothing).replay(endless.steps, forever: loop)
        }
        #expect(again.law == "it ends" && again.loop == loop)
        try promised(nil).replay(endless.steps, forever: loop)
    }

    @Test("a clock that stops just before a deadline goes on from there, so it breaks no promise")
    func promiseBesideDeadlines() {
        let clock = Happening<Fetch>.clock(.beforeDeadline, .deadline)
        #expect(promised(nil, clock).search().violation == nil)
        #expect(promised(.countsNothing, clock).search().violation != nil)
    }

    @Test("a promise is broken where nothing fair can happen any more, although something else can")
    func promiseWithoutTimer() throws {
        let silent = try #require(promised(.forgetsTheLimit).search().violation)
        #expect(silent.steps.isEmpty && silent.loop == [], "\(silent)")
        #expect(throws: Violation<MachineWorld<Uncoded<Fetch>>>.self) {
            try promised(.forgetsTheLimit).replay(silent.steps, forever: [])
        }
        try promised(nil).replay([], forever: [])
    }

    @Test("a promise is kept once for all: a loop behind a good state does not break it")
    func promiseKept() {
        let exploration = Explore(
            Fetch(mistake: .countsNothing), from: .idle,
            [.person(.started, .cancelled), .ends(.failed(.lost)), .clock(.deadline)])
        #expect(exploration.eventually("nothing is asked") { $0.state == .idle }.search().violation == nil)
        let asked = exploration.after(.person(.started))
        #expect(asked.eventually("nothing is asked") { $0.state == .idle }.search().violation != nil)
    }

    @Test("what is left alone stays so for the whole time, also where no timer runs")
    func silence() {
        func quiet(within limit: Interval) -> Violation<MachineWorld<Uncoded<Quiet>>>? {
            Quiet.exploration.leftAlone("it is not quiet any more", within: limit) { place in
                place.state.quietUntil ?? .origin <= place.machine.moment.now
            }
            .search(depth: 4).violation
        }
        #expect(quiet(within: .seconds(5)) == nil)
        #expect(quiet(within: .milliseconds(900)) != nil)
    }

    @Test("L10: a secret in a plain record is found while it is saved and when it is on the disk")
    func secrets() throws {
        func kept(_ key: Keeping.Key, _ storage: Happening<Keeping>) -> SearchReport<
            MachineWorld<Uncoded<Keeping>>
        > {
            Explore(Keeping(key: key), from: Keeping.State(), [.person(.given).atMost(2), storage])
                .always(.noSecretIsShown("t0ken"))
                .search()
        }
        #expect(kept(.secret, .storage(.answered)).extent == .closed)
        let saving = try #require(kept(.plain, .storage(.answered)).violation)
        #expect(saving.steps == [.person(.given)] && saving.complaint.contains("a save"), "\(saving)")
        let saved = try #require(kept(.plain, .promptStorage()).violation)
        #expect(saved.steps == [.person(.given)] && saved.complaint.contains("the record"), "\(saved)")
    }

    @Test("two worlds are one only if their calls have asked the same, when bytes answer them")
    func exchanges() throws {
        let violation = try #require(TypeAhead.exploration(closesFormer: false).search().violation)
        #expect(violation.law == "shows the answer to its query", "\(violation)")
        #expect(violation.steps.count == 4, "\(violation)")
        #expect(try TypeAhead.exploration(closesFormer: true).everyOrder().extent == .closed)
    }

    @Test("two worlds are one only at one time, when a state may hold times")
    func storedTimes() throws {
        let exploration = Quiet.exploration.never("asks twice") { place in
            guard case .search(let attempt) = place.openCalls.first else { return false }
            return attempt.number > 1
        }
        #expect(exploration.search(states: 1_000).violation?.law == "asks twice")
    }

    @Test("an action or event takes its time from the moment, so what is over is possible in every state")
    func offeredTimes() throws {
        func shown(_ possible: Happening<Pass>) -> Explore<Uncoded<Pass>> {
            Pass.exploration(.person(.asked), .ends(.completed), possible)
                .never("shows a pass that is over") { place in
                    place.state.until.map { $0 <= place.machine.moment.wall } ?? false
                }
        }
        let valid = Interval.seconds(60)
        let granted = shown(.calls { [.granted(until: $1.wall + valid), .granted(until: $1.wall)] })
        #expect(granted.search().violation?.steps.count == 2)
        let found = shown(.person { $0.asked == nil ? [] : [.found(until: $1.wall)] })
        #expect(found.search().violation?.steps.count == 2)
        let kept = shown(.calls { [.granted(until: $1.wall + valid)] })
        #expect(try kept.everyOrder().extent == .closed)
    }

    @Test("L2: a drawn number has both its extremes in a search, in every mixture")
    func drawnNumbers() {
        let stamped = Pass.exploration(.person(.stamped), .jitter())
        #expect(stamped.never("the least") { $0.state.stamp == 0 }.search().violation != nil)
        #expect(stamped.never("the greatest") { $0.state.stamp == 2 }.search().violation != nil)
        // Unstamped, or with either, under each of the two ways to draw.
        #expect(stamped.search().states == 6)
    }

    @Test("R5: two worlds are one only if saves are refused to the same paths")
    func sealed() throws {
        let violation = try #require(Notes.exploration.search().violation)
        #expect(violation.law == "a save is refused" && violation.steps.count == 3, "\(violation)")
    }

    @Test("a limit of depth or of states is told as one")
    func cut() throws {
        #expect(try Fetch.exploration().everyOrder(depth: 3).extent == .cutByDepth(3))
        if case .cutByStates = try Fetch.exploration().everyOrder(states: 10).extent {
        } else {
            Issue.record("not cut")
        }
        #expect(try Fetch.exploration().stopping { true }.everyOrder().extent == .stopped)
    }

    @Test("a failure prints its steps with their times, and a test that repeats them")
    func printing() throws {
        let report = Fetch.exploration(.forgetsToCancelTheLimit).search()
        let text = try #require(report.violation?.description)
        #expect(text.contains("1. .person(.started)  at 0 s"), "\(text)")
        #expect(text.contains("            .event(\"text\", call: 0),\n"), "\(text)")
        #expect(text.contains("try exploration.replay(["))
    }

    @Test("a limit bounds the actions and the times that are drawn, as it bounds those of a list")
    func limits() throws {
        let start = Instant.origin + .hours(24)
        try Explore(Fetch(), from: .idle, [.time(upTo: .seconds(1)).atMost(2)])
            .always("at most two seconds pass") { $0.machine.moment.now - start <= .seconds(2) }
            .random(seeds: 1...20, steps: 40)
        try Explore(
            Fetch(), from: .idle,
            [.drawn { _, _ in .started }.atMost(2), .ends(.completed), .clock(.deadline)]
        )
        .always("at most two questions, each with three repetitions") {
            if case .waiting(let attempt, _) = $0.state { attempt.number <= 8 } else { true }
        }
        .random(seeds: 1...20, steps: 100)
    }

    @Test("a limit counts what its own event brings, and nothing that another brings without one")
    func limitsOfOthers() throws {
        let typed = MachineStep<TypeAhead>.person(.typed("a"))
        func alone(_ happenings: [Happening<TypeAhead>]) -> Explore<Uncoded<TypeAhead>> {
            Explore(TypeAhead(closesFormer: true), from: TypeAhead.State(), happenings)
        }
        // Nothing is shown, x, y, and y after x.
        let events = alone([.calls { _ in ["x"] }.atMost(1), .calls { _ in ["y"] }]).after(typed)
        #expect(events.search().states == 4)
        let arrivals = Explore(
            TypeAhead(closesFormer: true), TypeAhead.Server(), from: TypeAhead.State(),
            [.wire { _, _ in [.text([0x78])] }.atMost(1), .wire { _, _ in [.text([0x79])] }]
        )
        #expect(arrivals.after(typed, .arrival(.opened)).search().states == 4)
        let drawn = alone([.drawn { _, _ in .typed("b") }.atMost(1), .person(.typed("a"))])
        #expect(try drawn.replay([typed]).budgets == [1])
        #expect(try drawn.replay([.person(.typed("b"))]).budgets == [0])
        let both = alone([.person(.typed("a"), .typed("b")).atMost(1), .person(.typed("a"))])
        #expect(try both.replay([typed]).budgets == [1])
        #expect(try both.replay([.person(.typed("b"))]).budgets == [0])
    }

    @Test(
        "a failure is shrunk to steps that may happen where they come, also beside steps that are drawn",
        arguments: [[], [.drawn { _, _ in .typed("") }]] as [[Happening<TypeAhead>]])
    func possible(_ drawn: [Happening<TypeAhead>]) throws {
        let exploration = Explore(
            TypeAhead(closesFormer: true), from: TypeAhead.State(),
            [.person { $0.query.isEmpty ? [.typed("a")] : [.typed("b")] }] + drawn
        )
        .never("asks for b") { $0.state.query == "b" }
        let violation = try #require(throws: Violation<MachineWorld<Uncoded<TypeAhead>>>.self) {
            try exploration.random(seeds: 1...5, steps: 20)
        }
        #expect(violation.steps == [.person(.typed("a")), .person(.typed("b"))], "\(violation)")
    }

    @Test("runs in which nothing can happen check nothing, and say so")
    func nothing() throws {
        let failure = try #require(throws: NothingHappens.self) {
            try Explore(Fetch(), from: .idle, []).always("nothing holds") { _ in false }
                .random(seeds: 1...3, steps: 40)
        }
        #expect("\(failure)".contains("nothing in the list of events is possible"))
    }

    @Test("runs without a step check nothing, and say so", arguments: [0, -1])
    func noSteps(_ count: Int) throws {
        let failure = try #require(throws: NothingHappens.self) {
            try Fetch.exploration().random(seeds: 1...3, steps: count)
        }
        #expect(failure.description == "No step was taken: each run has \(count) steps.")
        try Fetch.exploration().run(bytes: [0, 2], steps: count)
    }

    @Test("of two ways to begin a process, each is taken, and as often as its limit says")
    func relaunches() throws {
        let exploration = Explore(
            Fetch(), from: .idle,
            [.relaunch({ _ in .failed }).atMost(1), .relaunch({ _ in .done("kept") }).atMost(1)])
        // The start, each way first, and each way last.
        #expect(exploration.search().states == 5)
        #expect(try exploration.replay([.relaunch()]).state == .failed)
        #expect(try exploration.replay([.relaunch(beginning: 1)]).state == .done("kept"))
    }

    @Test(
        "a drawn time is any share of the longest, up to the whole",
        arguments: [Interval.seconds(1), .hours(9)])
    func times(_ longest: Interval) {
        let place = Explore(Fetch(), from: .idle, [.time(upTo: longest)]).world
        func drawn(_ high: UInt8, _ low: UInt8) -> MachineStep<Fetch>? {
            var choices = Choices(bytes: [0, 1, high, low])
            return place.drawn(&choices)
        }
        #expect(drawn(0, 0) == .clock(.by(.zero)) && drawn(0xFF, 0xFF) == .clock(.by(longest)))
        // A fifth of 0xFFFF.
        #expect(drawn(0x33, 0x33) == .clock(.by(Interval(nanoseconds: longest.nanoseconds / 5))))
    }

    @Test("bytes spell a run, and the same bytes spell the same")
    func bytes() throws {
        let bytes: [UInt8] = [0, 2, 9, 1, 4, 4, 0, 7, 7, 3, 1, 2]
        try Fetch.exploration().run(bytes: bytes)
        #expect(throws: Violation<MachineWorld<Uncoded<Fetch>>>.self) {
            try Fetch.exploration(.forgetsTheLimit).run(bytes: bytes)
        }
    }
}
