// Tests that wait for the system's clock or another process: each step of theirs goes before the tests that only
// compute, so they do not end long after those.

import Testing

/// Runs the tests of a suite with a high priority.
struct PromptTests: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        withUnsafeCurrentTask { $0?.escalatePriority(to: .high) }
        try await function()
    }
}

extension Trait where Self == PromptTests {
    /// The steps of these tests go before those of others.
    static var prompt: Self { PromptTests() }
}
