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
        guard makeRaw() else { return nil }
    }

    private func makeRaw() -> Bool {
        var settings = original
        cfmakeraw(&settings)
        settings.c_oflag |= tcflag_t(OPOST)
        guard tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) == 0 else { return false }
        write("\u{1B}[?2004h")  // what is pasted is marked as such, so that no line of it is a command
        return true
    }

    /// Gives the terminal back to the shell, and returns when the shell has given it to this program again.
    func suspend() {
        restore()
        // To this thread, so that it goes no further before the program is continued; the threads of a pool
        // have signals blocked.
        var stop = sigset_t()
        var former = sigset_t()
        sigemptyset(&stop)
        sigaddset(&stop, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &stop, &former)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &former, nil)
        _ = makeRaw()
    }

    /// Puts the terminal back as it was.
    func restore() {
        write("\u{1B}[?2004l")
        var settings = original
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// How many columns and rows a terminal has.
    struct Size: Equatable {
        let columns: Int
        let rows: Int
    }

    /// The size; 80 by 24 when nobody says.
    var size: Size {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Writes all of a text.
    func write(_ text: String) {
        _ = StandardOutput.tryToWrite(text)  // it may be gone, of which `endings` tells
    }

    /// Each change of the size.
    func resizes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let source = DispatchSource.makeSignalSource(signal: SIGWINCH)
        source.setEventHandler {
            continuation.yield()
            withExtendedLifetime(source) {}  // by being named here the source lives on
        }
        source.resume()
        return stream
    }

    /// Ends when the program is told to end: asked to, or because its terminal is gone.
    func endings() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        for number in [SIGINT, SIGTERM, SIGHUP] {
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
            while true {
                let bytes = StandardInput.read(atMost: 65_536)
                guard !bytes.isEmpty else { break }
                continuation.yield(bytes)
            }
            continuation.finish()
        }
        return stream
    }
}
