// The network interface of a loop: the driver carries out the calls of a machine. A server in the process implements it
// as a value (`SimulatedServer`), the system's network as `LiveNetwork`. The duties of every driver, for calls and for
// storage:
//
// 1. Operations are carried out in the order of their arrival. No operation is refused: a call that cannot begin ends.
// 2. Payloads come with all secrets and stored parts inserted; the loop has ended the calls whose parts are missing. No
//    byte of a payload goes into a log, an error or a file. The renewal of a credential is an HTTP request like any
//    other: the loop reads the answer and stores the secret (Renewals.swift), so no `renewal` comes here.
// 3. The outcomes of one call keep their order. `ended` is the last of a call and comes exactly once, except for a call
//    that the machine has closed: after `close` nothing of it follows. A later outcome is dropped and counted.
// 4. A socket reports `opened` before the first text. Text is a whole message. A ping, a pong or any other control
//    frame is a `signOfLife`; the driver answers pings itself. A binary message is not text and is a sign of life. A
//    message that the driver does not keep is `tooLong`, and the socket goes on.
// 5. An HTTP answer reports its head once, header names in lower case, then its body in any pieces. An error status is
//    a head like any other: the codec decides.
// 6. A failure shows what the person can do about it: `offline` when this device has no network, `unreachable` when no
//    connection was made, `lost` when one broke, `timedOut` when the transport gave up, `insecure` when the server
//    could not prove its identity or the address may not be used, `tooLarge` and `malformed` for a bad input.
// 7. Nothing grows without bound: the arrivals that the machine has not taken are limited, and the call that exceeds
//    the limit ends.

import ChatDomain

/// Carries out the calls of a machine.
public protocol NetworkDriver: SendableMetatype {
    /// Takes an operation on a call. Operations other than `open`, `send` and `close` are ignored.
    mutating func carryOut(_ operation: DriverOperation, at moment: Moment)

    /// The time of the next outcome that is known now; nil if there is none. A network whose outcomes arrive by
    /// themselves has none, and passes them on as `Arrivals`.
    var nextDeadline: Instant? { get }

    /// Advances the clock and returns the outcomes due by then, in order.
    mutating func advance(to moment: Moment) -> [Outcome]
}
