// What the system tells the program by signals, as a stream.

import Foundation

/// A message of the system.
enum Signal: Equatable, Sendable {
    /// The program must end, because of the signal with this number.
    case end(Int32)
    /// The window has another size.
    case resized
    /// The program goes on after it was stopped.
    case continued

    /// The exit status that shells expect of a program that a signal has ended.
    static func status(_ number: Int32) -> Int32 { 128 + number }

    /// The signals from now on. The first that ends the program has its usual effect from then on, so that a second one
    /// ends a program that hangs.
    static func stream() -> AsyncStream<Signal> {
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            watch(number) {
                continuation.yield(.end(number))
                signal(number, SIG_DFL)
            }
        }
        watch(SIGWINCH) { continuation.yield(.resized) }
        watch(SIGCONT) { continuation.yield(.continued) }
        return stream
    }

    private static func watch(_ number: Int32, _ handle: @escaping @Sendable () -> Void) {
        if number != SIGWINCH, number != SIGCONT {
            // Otherwise it ends the process before the source gets it.
            let former = signal(number, SIG_IGN)
            // Whoever started the program wants it to go on: nohup, or a shell with a job in the background.
            if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { return }
        }
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler {
            handle()
            withExtendedLifetime(source) {}  // this reference keeps the source alive
        }
        source.resume()
    }
}
