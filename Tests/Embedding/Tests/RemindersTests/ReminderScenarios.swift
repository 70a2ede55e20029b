import ChatDomain
import ChatTesting
@testable import Reminders
import Testing
import XCTest

// sample scenario
@Suite("Reminders, step by step")
struct ReminderScenarios {
    let ada = Account(user: "ada", secret: SecretHandle("token"), device: "phone")

    func signedIn() -> Scenario<Reminders> {
        var state = Reminders.State()
        state.account = ada
        return Scenario(Reminders(), state: state)
    }

    @Test("a reminder is uploaded, and is due at its time")
    func isUploaded() throws {
        var scenario = signedIn()
        let bob = Reminders.Reminder(text: "Call Bob", due: scenario.moment.wall + .minutes(5))
        try scenario.send(
            .added("Call Bob", after: .minutes(5)),
            effects: [
                .start(.due, after: .minutes(5)), .start(.retry, after: .seconds(30)),
                .open(.upload(1), .upload(bob, ada.secret)),
            ]
        ) {
            $0.waiting = [bob]
            $0.upload = Reminders.Upload(call: .upload($0[1]), reminder: bob)
            $0.record.changed()
        }
        try scenario.advance(by: .seconds(2))
        try scenario.deliver(.taken, effects: [.start(.due, after: .seconds(298))]) {
            $0.waiting[0].isOnServer = true
            $0.record.changed()
        }
        try scenario.end(.only, .completed, effects: [.cancel(.retry)]) { $0.upload = nil }
        try scenario.advance(by: .seconds(298), effects: [.cancel(.due)]) {
            $0.due = $0.waiting
            $0.waiting = []
            $0.record.changed()
        }
        try scenario.finish()
    }
    // end

    // sample relaxed
    @Test("an upload that fails is tried again under a new attempt")
    func isTriedAgain() throws {
        var scenario = signedIn().relaxed
        try scenario.send(.added("Call Bob", after: .hours(1)))
        try scenario.end(.only, .failed(.lost)) { $0.upload = nil }
        try scenario.advance(by: .minutes(1))
        try scenario.deliver(.taken, on: .newest) { $0.waiting[0].isOnServer = true }
        try scenario.finish(leaving: .anyCalls, .timer(.due))
    }
    // end

    @Test("a field that a step does not mention, and an effect with another delay, are named")
    func isNamed() throws {
        var scenario = signedIn()
        let bob = Reminders.Reminder(text: "Call Bob", due: scenario.moment.wall + .minutes(5))
        let failure = #expect(throws: ScenarioFailure.self) {
            try scenario.send(
                .added("Call Bob", after: .minutes(5)),
                effects: [
                    .start(.due, after: .minutes(6)), .start(.retry, after: .seconds(30)),
                    .open(.upload(1), .upload(bob, self.ada.secret)),
                ]
            ) {
                $0.waiting = [bob]
                $0.upload = Reminders.Upload(call: .upload($0[1]), reminder: bob)
            }
        }
        // sample message
        #expect(
            failure?.message == """
                The state differs:
                  record.latest.number
                    expected 0
                    actual   1
                The effects differ:
                  missing     .start(.due, after: 360 s)
                  unexpected  .start(.due, after: 300 s)
                    start.after: expected 360 s, actual 300 s
                Steps:
                  1. +0 s  send(.added("Call Bob", after: 300 s))
                """)
        // end
    }

    @Test("a failure has its line")
    func isMarked() throws {
        // sample testing
        var scenario = signedIn().reporting { failure in
            Issue.record(
                "\(failure.message)",
                sourceLocation: SourceLocation(
                    fileID: "\(failure.fileID)", filePath: "\(failure.filePath)", line: Int(failure.line),
                    column: 1))
        }
        // end
        try scenario.send(.dismissed)
    }
}

final class ReminderXCTests: XCTestCase {
    func testNothingIsDismissed() throws {
        // sample xctest
        var scenario = ReminderScenarios().signedIn().reporting { failure in
            XCTFail(failure.message, file: failure.filePath, line: failure.line)
        }
        // end
        try scenario.send(.dismissed)
    }
}
