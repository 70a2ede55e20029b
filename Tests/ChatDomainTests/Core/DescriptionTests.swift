import ChatDomain
import Testing

@Suite("Descriptions, as a failed test shows them")
struct DescriptionTests {
    @Test(
        "a time reads as a person says it",
        arguments: [
            (Interval.milliseconds(1_500), "1.5 s"), (.seconds(30), "30 s"), (.milliseconds(20), "20 ms"),
            (.zero, "0 s"), (Interval(nanoseconds: -3), "-3 ns"), (Interval(nanoseconds: 1_050), "1.05 µs"),
            (Interval(nanoseconds: 1_000_000_001), "1.000000001 s"), (.max, "9223372036.854775807 s"),
            (Interval(nanoseconds: .min), "-9223372036.854775808 s"),
        ])
    func interval(_ interval: Interval, _ text: String) {
        #expect(interval.description == text)
    }

    @Test("instants, wall times, names and attempts read as what they are")
    func names() {
        #expect("\(Instant.origin + .milliseconds(1_500))" == "origin + 1.5 s")
        #expect("\(WallTime(millisecondsSince1970: 2_000))" == "1970 + 2 s")
        #expect("\(MessageID("s_1"))" == "s_1")
        #expect("\(Attempt(number: 3))" == "attempt 3")
    }

    @Test("a long text reads as its beginning and its length, cut between characters")
    func longText() {
        #expect("\(LongText("Hello"))" == "Hello")
        let long = LongText(String(repeating: "é", count: 1_000))
        #expect("\(long)" == String(repeating: "é", count: 20) + "… (2000 bytes)")
    }
}
