// ^C and SIGTERM for long work: the work checks now and then, and ends with its results so far.

import ChatEffects
import Dispatch
import Foundation

/// Whether the program was asked to stop. A second signal ends it at once.
struct Interruption {
    /// A flag that is raised once. A search reads it at every state, so a read must cost no system call, as that of a
    /// semaphore does.
    struct Flag: Sendable {
        private let value = Locked(false)
        private let waiting = DispatchSemaphore(value: 0)

        func raise() {
            value.withLock { $0 = true }
            waiting.signal()
        }

        /// Blocks until the flag is raised.
        func wait() {
            waiting.wait()
            waiting.signal()
        }

        var isRaised: Bool { value.withLock { $0 } }
    }

    let flag = Flag()

    init() {
        for number in [SIGINT, SIGTERM] {
            Signal.watch(number) { [flag] in
                guard !flag.isRaised else { exit(Signal.status(number)) }
                flag.raise()
            }
        }
    }
}
