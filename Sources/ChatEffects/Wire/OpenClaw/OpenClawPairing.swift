// Pairing with an OpenClaw gateway, pure: a device connects without a token, is refused because it is not paired, and
// connects again until an admin has let it in; the answer then has its token. Start at `open`:
//
//     opening ──connect.challenge──▶ asked ──hello-ok──▶ granted
//                                     └──NOT_PAIRED──▶ pending; the gateway closes, and pairing asks again (P6)
//
// The token is wrapped as a `Secret` when it is read, and no progress holds it (L10).

import ChatDomain

/// The backend of pairing with an OpenClaw gateway.
public struct OpenClawPairing: Backend {
    /// The feature that this backend serves.
    public typealias Subject = Pairing

    /// The path of the gateway's socket.
    let path: ExactText
    /// The rights of the device.
    let scopes: [ExactText]
    /// The person: a gateway has one, and no names for them.
    let person: UserID

    /// Creates a backend for a gateway whose socket is at this path.
    public init(
        path: ExactText = "/", scopes: [ExactText] = ["operator.read", "operator.write"],
        person: UserID = "operator"
    ) {
        self.path = path
        self.scopes = scopes
        self.person = person
    }

    /// The progress of a request.
    public enum Progress: DomainValue {
        /// The socket opens, to ask whether this device may come in.
        indirect case opening(DeviceID, DeviceInfo)
        /// The device has asked, under this id.
        case asked(id: ExactText)
    }

    /// Opens a socket, which asks when the gateway is ready.
    public func open(_ request: Pairing.Request) -> (exchange: Exchange, progress: Progress) {
        switch request {
        case .pair(let device, _, let info): (.socket(path: path), .opening(device, info))
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
        switch arrival {
        // The gateway speaks first, and pairing asks again by its own timer (P6).
        case .opened, .signOfLife, .ended: break
        case .text(let bytes) where !arrival.isMessage(over: OpenClaw.frameLimit):
            guard let frame = OpenClawFrame.read(bytes) else { return reaction.skipped += 1 }
            take(frame, &progress, &reaction)
        case .text, .tooLong, .head, .body, .sent: reaction.skipped += 1
        }
    }

    private func take(
        _ frame: OpenClawFrame, _ progress: inout Progress, _ reaction: inout Reaction<Pairing.Event>
    ) {
        switch (frame, progress) {
        case (.event("connect.challenge", _, _), .opening(let device, let info)):
            var requests = OpenClawRequests()
            let (id, payload) = requests.connect(nil, client: device.text, info: info, scopes: scopes)
            reaction.frames.append(payload)
            progress = .asked(id: id)
        case (.answer(let id, .success(let hello)), .asked(let asked)) where id == asked:
            guard let token = hello["auth"]?["deviceToken"]?.string, !token.isEmpty else {
                return reaction.end = .failed(.malformed)
            }
            let isAdmin = scopes.contains(OpenClaw.pairingScope)
            reaction.events.append(.granted(Secret(token), person, isAdmin: isAdmin))
        case (.answer(let id, .failure(let error)), .asked(let asked)) where id == asked:
            if error.refusal == .deviceNotApproved {
                reaction.events.append(.pending(code: nil))
            } else {
                reaction.end = error.end
            }
        default: reaction.skipped += 1
        }
    }
}
