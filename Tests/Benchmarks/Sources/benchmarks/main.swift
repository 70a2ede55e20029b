// What the package costs, as multiples of a bare reducer and a bare heap that are measured in the same run.
// Start here: one function per subject, each in a file of its own, each adds rows to the report.
//
//     benchmarks [--check] [beginning of the names wanted]
//
// With --check the exit code is 1 when a ratio or a number of allocations is over its limit.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

var report = Report(wanted: CommandLine.arguments.dropFirst().first { $0 != "--check" } ?? "")
benchmarkBare(&report)
benchmarkTimers(&report)
exit(CommandLine.arguments.contains("--check") && report.isOver ? 1 : 0)
