// The last words of a search or a run in which a law, a step or a reducer traps. A trap ends the process, and with it
// every result. So the words say on which way it happened, and what was found until then; the process ends with the
// status of bad input.
//
// A trap is an instruction of the thread that takes the step, which holds no lock of the allocator then. So its handler
// may do what handlers of other signals may not. Start with `reporting`.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

enum Trap {
    /// Runs `body`. If it traps, the words go to standard error, and the process ends with status 2.
    static func reporting<Result>(_ words: @escaping () -> String, _ body: () -> Result) -> Result {
        let box = Words(text: words)
        let former = pthread_getspecific(slot)
        pthread_setspecific(slot, Unmanaged.passUnretained(box).toOpaque())
        defer {
            pthread_setspecific(slot, former)
            withExtendedLifetime(box) {}
        }
        return body()
    }

    private final class Words {
        let text: () -> String

        init(text: @escaping () -> String) { self.text = text }
    }

    /// The words of each thread. The first use installs the handler.
    private static let slot: pthread_key_t = {
        var slot = pthread_key_t()
        pthread_key_create(&slot, nil)
        for number in [SIGILL, SIGTRAP] {
            sigaction(number, nil, &former[number, default: sigaction()])
            signal(number) { handle($0) }
        }
        return slot
    }()

    /// The handlers of others. They are written before the handler here is installed, and only read afterwards.
    nonisolated(unsafe) private static var former: [Int32: sigaction] = [:]

    private static func handle(_ number: Int32) {
        guard let words = pthread_getspecific(slot) else {
            // The trap is not of a search: the instruction is tried again, and its signal goes to the former handler.
            sigaction(number, &former[number, default: sigaction()], nil)
            return
        }
        let text = Unmanaged<Words>.fromOpaque(words).takeUnretainedValue().text() + "\n"
        _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        _exit(2)
    }
}
