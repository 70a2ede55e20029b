// A terminal in raw mode: keys arrive one by one and nothing is echoed. The terminal is put back as it was when
// the program ends, also when it is told to end by a signal that can be caught.

import Foundation

/// Standard input and output as a terminal.
final class Terminal: Sendable {
    private let original: termios

    /// Puts the terminal into raw mode; nil when it is none.
    init?() {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        original = settings
        cfmakeraw(&settings)
        settings.c_oflag |= tcflag_t(OPOST)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) == 0 else { return nil }
    }

    /// Puts the terminal back as it was.
    func restore() {
        var settings = original
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// How many columns there are; 80 when nobody says.
    var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes all of a text.
    func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))  // it may be gone
    }

    /// Ends when the program is told to end: asked to, or because its terminal is gone.
    func endings() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        for number in [SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)  // else it ends the process before the source hears of it
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                continuation.finish()
                source.cancel()  // and by being named here the source lives until then
            }
            source.resume()
        }
        return stream
    }

    /// What is typed, as it comes.
    func keys() -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1_024)
            while true {
                let count = read(STDIN_FILENO, &buffer, buffer.count)
                guard count > 0 else { break }
                continuation.yield(Array(buffer[..<count]))
            }
            continuation.finish()
        }
        return stream
    }
}
