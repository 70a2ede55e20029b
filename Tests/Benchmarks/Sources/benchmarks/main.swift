// What the package costs, as multiples of a bare reducer and a bare heap that are measured in the same run.
// Start here.
//
// One function per subject, each in a file of its own, called below; it adds rows to the report. A row is a
// `Workload` (what is prepared in `prepare` and torn down after `run` is not measured), the workload of `Bare`
// that does the same without the package, and limits. Do the same work as the yardstick does: as many tokens
// of the same text, updates of the same targets, actions out of an array. So that a subject is specialised as
// it would be in an app, nothing here says `@testable`.
//
//     report.add(
//         "machine, action", machineActions(),
//         beside: ("bare reducer", Bare.action()), limits: [.ratio(3), .allocations(0)])
//
//     benchmarks [--check] [beginning of the names wanted]
//
// With --check the exit code is 1 when a number of allocations is over its limit.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

var report = Report(wanted: CommandLine.arguments.dropFirst().first { $0 != "--check" } ?? "")
benchmarkDay(&report)  // first: memory that other rows have left would hide what it needs
benchmarkBare(&report)
benchmarkTimers(&report)
benchmarkMachine(&report)
benchmarkLongText(&report)
benchmarkChat(&report)
benchmarkProjections(&report)
benchmarkWire(&report)
benchmarkLive(&report)
benchmarkScenario(&report)
exit(CommandLine.arguments.contains("--check") && report.isOver ? 1 : 0)
