// ^C for work that takes long: the work asks now and then, and ends with what it has.

import ChatEffects
import Dispatch
import Foundation

/// Whether the person has asked the program to stop. A second ^C ends it at once.
final class Interruption {
    /// A flag that is raised once. It is read at every state of a search, so a look must cost no system call, as that at a
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
