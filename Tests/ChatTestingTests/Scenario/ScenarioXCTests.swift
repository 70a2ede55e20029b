// Scenarios in XCTest: a thrown failure is a test that failed, and a reported one marks its line.

import ChatDomain
import ChatTesting
import XCTest

final class ScenarioXCTests: XCTestCase {
    private typealias Fetch = Fetching<PlainName>

    func testScenarioHoldsInXCTest() throws {
        var scenario = Scenario(Fetch(), state: .init()).reporting { failure in
            XCTFail(failure.message, file: failure.filePath, line: failure.line)
        }
        let wall = scenario.moment.wall
        try scenario.send(
            .asked, effects: [.open(PlainName(1), "page"), .start(.patience, after: .seconds(10))]
        ) { $0.phase = .fetching($0[1], since: wall) }
        try scenario.finish(leaving: .call(PlainName(1)), .timer(.patience))
    }

    func testThrownFailureDescribesItself() {
        var scenario = Scenario(Fetch(), state: .init())
        XCTAssertThrowsError(try scenario.send(.cancelled, effects: [.haptic])) { error in
            XCTAssertTrue("\(error)".contains("missing     .haptic"), "\(error)")
            XCTAssertTrue(error.localizedDescription.contains("missing     .haptic"))
        }
    }
}
