// The progress of long work: one row of the terminal on standard error, which the next one replaces.

import Foundation

/// The row. Nothing is shown where standard error is no terminal, or one that cannot erase a row.
struct ProgressLine: Sendable {
    private let isShown =
        isatty(STDERR_FILENO) == 1
        && Paint.isCapable(environment: ProcessInfo.processInfo.environment)

    /// Replaces the row.
    func show(_ text: String) {
        guard isShown else { return }
        // A row that is broken is not erased whole, and in some terminals a full one is broken.
        let columns = Terminal.size(of: STDERR_FILENO).columns
        _ = StandardOutput.tryToWrite("\r\u{1B}[K\(text.prefix(columns - 1))", to: STDERR_FILENO)
    }

    /// Erases the row.
    func clear() { show("") }
}
