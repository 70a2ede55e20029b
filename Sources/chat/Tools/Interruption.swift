// ^C for work that takes long: the work asks now and then, and ends with what it has.

import Dispatch
import Foundation

/// Whether the person has asked the program to stop. A second ^C ends it at once.
final class Interruption {
    /// A flag that is raised once.
    struct Flag: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func raise() { semaphore.signal() }

        /// Blocks until the flag is raised.
        func wait() {
            semaphore.wait()
            semaphore.signal()
        }

        var isRaised: Bool {
            guard semaphore.wait(timeout: .now()) == .success else { return false }
            semaphore.signal()
            return true
        }
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
