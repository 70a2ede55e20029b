// A value that several threads share. The standard library's `Mutex` needs newer systems than this package does.

import Foundation

/// A value that one thread at a time may use.
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked, because the compiler does not see that the lock guards the value. Only the result of the body leaves
    // `withLock`.
    private let lock = NSLock()
    private var value: Value

    /// Shares a value that nothing else refers to.
    package init(_ value: sending Value) { self.value = value }

    /// Runs a body that may change the value. The body must not wait, nor take the same lock.
    package func withLock<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
