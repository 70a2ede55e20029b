// The events of a chat at a terminal, in one stream.

import ChatDomain

/// One event.
enum TerminalEvent: Sendable {
    /// Bytes of the keyboard.
    case keys([UInt8])
    /// No byte has followed for a while.
    case pause
    /// The chat has changed.
    case state
    /// A signal of the system.
    case signal(Signal)
    /// The terminal is gone.
    case hangUp

    /// The time that the beginning of a key waits for its rest: that of readline.
    private static let patience = Duration.milliseconds(500)

    /// Merges the sources.
    static func merge(
        keys: AsyncStream<[UInt8]>, states: AsyncStream<ChatApp.State>, signals: AsyncStream<Signal>
    ) -> AsyncStream<TerminalEvent> {
        let (stream, continuation) = AsyncStream<TerminalEvent>.makeStream()
        Task {
            var pause: Task<Void, Never>?
            for await bytes in keys {
                pause?.cancel()
                continuation.yield(.keys(bytes))
                // A pause has a meaning only after an escape or an incomplete character.
                guard bytes.contains(where: { $0 == 0x1B || $0 >= 0x80 }) || pause != nil else { continue }
                pause = Task {
                    try? await Task.sleep(for: patience)
                    if !Task.isCancelled { continuation.yield(.pause) }
                }
            }
            continuation.yield(.hangUp)
        }
        Task {
            for await _ in states { continuation.yield(.state) }
        }
        Task {
            for await signal in signals { continuation.yield(.signal(signal)) }
        }
        return stream
    }
}
