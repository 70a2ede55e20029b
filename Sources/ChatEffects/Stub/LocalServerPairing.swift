// Pairing in the in-process backend: a device is approved automatically after a delay, or by an admin, whose
// connections show each waiting device. The first decision wins; it is sent when the device has a connection
// with a pairing request, so a lost transport loses no decision (P8).
//
//     waiting ──approved──▶ admitted ──token revoked──▶ revoked
//        │ denied, rejected
//        ▼
//     turnedAway ──sent──▶ forgotten
//
// Not in the diagram: a device that has waited for 300 s gets a timeout and is forgotten.

import ChatDomain

extension LocalServer {
    /// The lifetime of a request (P6).
    static let requestLifetime = Interval.seconds(300)

    /// The most remembered devices: twice as many as on an admin's screen (limits). The oldest device without approval
    /// is dropped first.
    static let deviceLimit = 200

    // MARK: Requests

    /// Handles a pairing request. A repeated request keeps its entry and time (P8); admins see the device's latest
    /// description.
    mutating func ask(_ request: PairingRequest, on call: CallNumber?) {
        // Another name on the same device is another person, who must not get the first one's account (P10), time or
        // denial.
        let claimed = Device(request: request).claimedUser
        if let index = devices.firstIndex(where: {
            $0.id == request.device && ($0.standing == .revoked || $0.claimedUser != claimed)
        }) {
            forgetDeadlines(of: devices.remove(at: index).id)
        }
        let index = devices.firstIndex { $0.id == request.device }
        if let index, devices[index].standing != .waiting {
            return schedule(.pairing(request.device), after: .zero)
        }
        if let code = behaviour.code, let call {
            schedule(.send(call, ClawlineFrames.pending(code: code)), after: .zero)
        }
        guard let index else { return enter(request) }
        guard devices[index].request != request else { return }
        devices[index].request = request
        announce(request.device)
    }

    private mutating func enter(_ request: PairingRequest) {
        if devices.count >= Self.deviceLimit, let oldest = devices.firstIndex(where: { $0.user == nil }) {
            forgetDeadlines(of: devices.remove(at: oldest).id)
        }
        let device = Device(request: request)
        devices.append(device)
        schedule(.expiry(request.device), after: Self.requestLifetime, mayFail: false)
        if behaviour.approval == .automatic || behaviour.admins.contains(device.claimedUser) {
            schedule(.pairing(request.device), after: behaviour.approvalDelay)
        }
        announce(request.device)
    }

    // MARK: Decisions

    /// Decides about a waiting device and schedules the answer to it. Returns false if the device does not wait, since
    /// a decision is final.
    mutating func decide(_ device: DeviceID, _ decision: Decision) -> Bool {
        let standing: Device.Standing =
            switch decision {
            case .approve(let user): .admitted(user)
            case .deny(let reason): .turnedAway(code: "pair_denied", reason)
            }
        guard setStanding(device, standing) else { return false }
        schedule(.pairing(device), after: .zero)
        return true
    }

    private mutating func setStanding(_ device: DeviceID, _ standing: Device.Standing) -> Bool {
        guard let index = devices.firstIndex(where: { $0.id == device && $0.standing == .waiting }) else {
            return false
        }
        devices[index].standing = standing
        forgetDeadlines(of: device)
        return true
    }

    /// Cancels the scheduled answer and the expiry of a device.
    mutating func forgetDeadlines(of device: DeviceID) {
        tasks.removeAll { $0.kind == .pairing(device) || $0.kind == .expiry(device) }
    }

    /// Sends the decision to a device; without a decision, the server decides by itself.
    mutating func answer(_ device: DeviceID, _ outcomes: inout [Outcome]) {
        guard let entry = devices.first(where: { $0.id == device }) else { return }
        if entry.claimedUser.text.isEmpty {
            _ = setStanding(device, .turnedAway(code: "pair_rejected", "Name cannot be empty"))
        } else {
            _ = setStanding(device, .admitted(entry.claimedUser))
        }
        tell(device, &outcomes)
    }

    private mutating func tell(_ device: DeviceID, _ outcomes: inout [Outcome]) {
        guard let socket = sockets.lastIndex(where: { $0.phase == .pairing(device) }),
            let index = devices.firstIndex(where: { $0.id == device })
        else { return }
        let frame: [UInt8]
        switch devices[index].standing {
        case .waiting, .revoked: return
        case .admitted(let user):
            frame = ClawlineFrames.granted(Self.token(of: device, as: user), user, isAdmin: isAdmin(user))
        case .turnedAway(let code, let message):
            frame = ClawlineFrames.refused("pair_result", reason: code, message: message)
            devices.remove(at: index)
        }
        sockets[socket].phase = .open
        send(frame, to: sockets[socket].call, &outcomes)
    }

    /// Ends a request at the end of its lifetime.
    mutating func expire(_ device: DeviceID, _ outcomes: inout [Outcome]) {
        guard setStanding(device, .turnedAway(code: "pair_timeout", nil)) else { return }
        tell(device, &outcomes)
        devices.removeAll { $0.id == device }
    }

    // MARK: Admins

    func isAdmin(_ user: UserID) -> Bool { behaviour.admins.contains(user) }

    /// Announces a waiting device to every connected admin.
    private mutating func announce(_ device: DeviceID) {
        for socket in sockets {
            guard case .connected(let user, _) = socket.phase, isAdmin(user) else { continue }
            schedule(.announcement(socket.call, device), after: .zero)
        }
    }

    /// Announces all waiting devices to a newly connected admin.
    mutating func announceAll(to call: CallNumber, _ user: UserID) {
        guard isAdmin(user) else { return }
        for device in devices where device.standing == .waiting {
            schedule(.announcement(call, device.id), after: .zero)
        }
    }

    mutating func announce(_ device: DeviceID, to call: CallNumber, _ outcomes: inout [Outcome]) {
        guard let entry = devices.first(where: { $0.id == device && $0.standing == .waiting }) else {
            return
        }
        send(ClawlineFrames.announcement(entry.request), to: call, &outcomes)
    }
}
