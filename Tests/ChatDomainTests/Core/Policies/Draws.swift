// Draws for property tests: seeded, so that a failure comes back with its seed.

import ChatDomain
import Foundation

extension Entropy {
    /// A number from 0 up to, but not including, a positive bound.
    mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }
}

/// The value after it has been written as JSON and read again.
func throughJSON<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
}
