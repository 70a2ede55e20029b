// Pairing over Clawline, pure: a socket that asks once it is open, and waits. Start at `open`:
//
//     asking ──opened──▶ waiting
//
// Nothing that a server sends traps or ends the socket; a message over the limit is skipped. The token of an answer is
// wrapped as a `Secret` when it is read, and no progress holds it (L10).

import ChatDomain

/// Facts of Clawline that its two backends share.
enum Clawline {
    /// The greatest frame that is read, in bytes (Rules, limits).
    static let frameLimit: Int64 = 1_048_576
}

/// The backend of pairing over Clawline.
public struct ClawlinePairing: Backend {
    /// The feature that this backend serves.
    public typealias Subject = Pairing

    /// The path of the server's socket.
    let path: ExactText

    /// Creates a backend for a server whose socket is at this path.
    public init(path: ExactText = "/ws") {
        self.path = path
    }

    /// The progress of a request.
    public enum Progress: DomainValue {
        /// The socket opens, to ask whether this device may come in.
        case asking(DeviceID, name: ExactText, DeviceInfo)
        /// The request was sent.
        case waiting
    }

    /// Opens a socket, which asks when it is open.
    public func open(_ request: Pairing.Request) -> (exchange: Exchange, progress: Progress) {
        switch request {
        case .pair(let device, let name, let info):
            (.socket(path: path), .asking(device, name: name, info))
        }
    }

    /// Unreachable: a decision is sent on chat's connection (P9).
    public func send(
        _ frame: Pairing.Frame, progress: inout Progress, reaction: inout Reaction<Pairing.Event>
    ) {
        reaction.skipped += 1
    }

    /// Decodes an arrival.
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Pairing.Event>
    ) {
        switch (arrival, progress) {
        case (.opened, .asking(let device, let name, let info)):
            progress = .waiting
            // Not every server confirms the request, so its sending on the open socket counts.
            reaction.events.append(.pending(code: nil))
            reaction.frames.append(ClawlineRequests.pair(device, name: name, info))
        case (.text(let bytes), .waiting) where Int64(bytes.count) <= Clawline.frameLimit:
            var streams = ClawlineStreams()  // a device that waits has none
            switch ClawlineAnswer.read(bytes, &streams) {
            case .pairing(let event): reaction.events.append(event)
            case .error(let error): refuse(error, &reaction)
            default: reaction.skipped += 1
            }
        case (.signOfLife, _), (.ended, _): break  // pairing asks again by its own timer (P6)
        case (.opened, _), (.text, _), (.tooLong, _), (.head, _), (.body, _), (.sent, _):
            reaction.skipped += 1
        }
    }

    /// An error before the answer to a request. An error that a repetition cannot cure becomes the HTTP status of
    /// that meaning, so that pairing need not know Clawline's codes.
    private func refuse(_ error: ClawlineError, _ reaction: inout Reaction<Pairing.Event>) {
        let status: Int64
        switch error.code {
        case "rate_limited": status = 429
        case "invalid_message": status = 400
        case "payload_too_large": status = 413
        case "auth_failed", "token_revoked": status = 403
        case "server_error": status = 500
        default: return reaction.skipped += 1
        }
        reaction.end = .refused(status: status, retryAfter: nil, message: error.message)
    }
}
