// ^C for work that takes long: the work asks now and then, and ends with what it has.

import Dispatch
import Foundation

/// Whether the person has asked the program to stop. A second ^C ends it at once.
final class Interruption {
    /// A flag that is raised once. It is read at every state of a search, so a look must cost no system call, as that at a
    /// semaphore does.
    final class Flag: @unchecked Sendable {
        private let condition = NSCondition()
        /// Only touched under the lock.
        private var value = false

        func raise() {
            condition.withLock { value = true }
            condition.broadcast()
        }

        /// Blocks until the flag is raised.
        func wait() {
            condition.withLock {
                while !value { condition.wait() }
            }
        }

        var isRaised: Bool { condition.withLock { value } }
    }

    let flag = Flag()
    private let source: any DispatchSourceSignal

    init() {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [flag] in
            guard !flag.isRaised else { exit(130) }  // 128 and the signal's number, as shells say it
            flag.raise()
        }
        source.resume()
    }
}
