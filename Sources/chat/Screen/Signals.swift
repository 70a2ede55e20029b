// The signals of the system to the program, as a stream.

import Foundation

/// A signal.
enum Signal: Equatable, Sendable {
    /// The program must end, because of the signal with this number.
    case end(Int32)
    /// The window has another size.
    case resized
    /// The program goes on after it was stopped.
    case continued

    /// The exit status that shells expect of a program that a signal has ended.
    static func status(_ number: Int32) -> Int32 { 128 + number }

    /// The greatest duration of the program's end: 5 s for storage, and as many for a terminal that takes no output.
    private static let patience: TimeInterval = 10

    /// The signals from now on. After the first signal that ends the program, a second one has its usual effect, so
    /// that it ends a program that hangs; without a second one it ends after `patience`, with the terminal's mode from
    /// now.
    static func stream() -> AsyncStream<Signal> {
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        var modes = termios()
        let original = tcgetattr(STDIN_FILENO, &modes) == 0 ? modes : nil
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            watch(number) {
                continuation.yield(.end(number))
                signal(number, SIG_DFL)
                // A thread of its own: all threads of the pool may wait in a write.
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: patience)
                    if var original { tcsetattr(STDIN_FILENO, TCSANOW, &original) }
                    _exit(status(number))
                }
            }
        }
        watch(SIGWINCH) { continuation.yield(.resized) }
        watch(SIGCONT) { continuation.yield(.continued) }
        return stream
    }

    /// Calls a function for each signal with a number after the return; an earlier one has its usual effect. An ignored
    /// signal stays ignored: the program's parent wants it to continue (nohup, or a shell with a job in the
    /// background).
    static func watch(_ number: Int32, _ handle: @escaping @Sendable () -> Void) {
        let former = signal(number, SIG_DFL)
        guard unsafeBitCast(former, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else {
            signal(number, SIG_IGN)
            return
        }
        let source = DispatchSource.makeSignalSource(
            signal: number, queue: DispatchQueue(label: "chat.signals"))
        source.setEventHandler {
            handle()
            withExtendedLifetime(source) {}  // this reference keeps the source alive
        }
        // The source registers on another thread, and an earlier signal would be lost if it were already ignored.
        let isWatched = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isWatched.signal() }
        source.activate()
        isWatched.wait()
        #if canImport(Darwin)
            signal(number, SIG_IGN)  // the source there sees a signal, and does not take it
        #endif
    }
}
