// A terminal in raw mode: each key arrives at once, without echo. The original mode is restored at the end of the
// program, also after a signal that can be caught (Signals.swift).

import Foundation

/// Standard input and output as a terminal.
final class Terminal: Sendable {
    private let original: termios
    /// Whether the terminal can mark pasted text, so that no line of it is a command. To one that cannot, its sequences
    /// are text.
    private let marksPastes: Bool

    /// Switches to raw mode; nil if there is no terminal.
    init?(marksPastes: Bool) {
        self.marksPastes = marksPastes
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        original = settings
        guard makeRaw() else { return nil }
    }

    /// Switches to raw mode, also again after the shell had the terminal.
    @discardableResult
    func makeRaw() -> Bool {
        var settings = original
        cfmakeraw(&settings)
        settings.c_oflag |= tcflag_t(OPOST)
        guard tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) == 0 else { return false }
        if marksPastes { write("\u{1B}[?2004h") }
        return true
    }

    /// Stops the program with the original mode, and returns when the shell continues it.
    func suspend() {
        restore()
        // The signal goes to this thread, so that it stops here until the program is continued; the threads of a pool
        // block signals.
        var stop = sigset_t()
        var former = sigset_t()
        sigemptyset(&stop)
        sigaddset(&stop, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &stop, &former)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &former, nil)
        makeRaw()
    }

    /// Restores the original mode.
    func restore() {
        if marksPastes { write("\u{1B}[?2004l") }
        var settings = original
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// Whether a row that is now too wide is broken, and stays so, as in most terminals. Xterm and rxvt cut it; GNU
    /// screen breaks it, and later joins the rows in its place. A program within tmux inherits the variables that name
    /// the terminal around it.
    static func rewraps(_ environment: [String: String]) -> Bool {
        guard environment["TMUX"] == nil else { return true }
        let isRxvt = environment["TERM"]?.hasPrefix("rxvt") ?? false
        return environment["XTERM_VERSION"] == nil && environment["STY"] == nil && !isRxvt
    }

    /// The size of a terminal in columns and rows.
    struct Size: Equatable {
        let columns: Int
        let rows: Int
    }

    /// The size; 80 by 24 when it is unknown.
    static func size(of descriptor: Int32 = STDOUT_FILENO) -> Size {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Writes the whole text.
    func write(_ text: String) {
        // The terminal may be gone; the end of its keys reports that.
        if !text.isEmpty { _ = StandardOutput.tryToWrite(text) }
    }

    /// A stream of the typed bytes, which ends with the terminal.
    func keys() -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        Thread.detachNewThread {
            while true {
                let bytes = Self.read()
                guard !bytes.isEmpty else { break }
                continuation.yield(bytes)
            }
            continuation.finish()
        }
        return stream
    }

    /// The available bytes; empty when the terminal is gone. A paste comes in many pieces, and each one that is handled
    /// by itself is drawn and saved: so pieces without a pause are joined.
    private static func read() -> [UInt8] {
        var bytes = StandardInput.read(atMost: 65_536)
        // No person types 256 bytes at once; 5 ms is longer than a terminal pauses within a paste.
        while bytes.count >= 256, bytes.count < LineSplitter.limit {
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&input, 1, 5) == 1 else { break }
            let more = StandardInput.read(atMost: 65_536)
            guard !more.isEmpty else { break }
            bytes += more
        }
        return bytes
    }
}
