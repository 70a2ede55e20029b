// The words in which the tests of pairing speak: a device at each place of the story in one line.

import Testing

@testable import ChatDomain

typealias PairingDriver = Driver<Pairing>

extension Driver where F == Pairing {
    static let info = DeviceInfo(platform: "iOS", model: "iPhone 15")
    static let token = Secret("eyJ-top-secret-token")

    /// Before the launch.
    static func fresh(
        seed: UInt64 = 1, wall: WallTime = WallTime(millisecondsSince1970: 1_000_000_000),
        _ change: (inout Pairing.Configuration) -> Void = { _ in }
    ) -> Self {
        var configuration = Pairing.Configuration(device: info)
        change(&configuration)
        var driver = Driver(
            Pairing(configuration: configuration), state: Pairing.State(configuration: configuration),
            seed: seed, wall: wall)
        driver.isForeign = { if case .link = $0 { true } else { false } }
        return driver
    }

    /// Launched with what is on a disk.
    static func launched(
        with disk: inout Disk<Pairing>, seed: UInt64 = 1,
        wall: WallTime = WallTime(millisecondsSince1970: 1_000_000_000)
    ) -> Self {
        var driver = fresh(seed: seed, wall: wall)
        driver.send(.launched)
        driver.serve(from: &disk)
        return driver
    }

    /// Launched for the first time; the device id is stored and nothing else is.
    static func idle() -> Self {
        var disk = Disk<Pairing>()
        return launched(with: &disk)
    }

    /// The server was asked for “Kay”; the record of the request is saved.
    static func asking(_ disk: inout Disk<Pairing>) -> Self {
        var driver = launched(with: &disk)
        driver.submit("Kay")
        driver.serve(from: &disk)
        return driver
    }

    static func asking() -> Self {
        var disk = Disk<Pairing>()
        return asking(&disk)
    }

    /// In, and remembered.
    static func paired(_ disk: inout Disk<Pairing>) -> Self {
        var driver = asking(&disk)
        driver.grant()
        driver.serve(from: &disk)
        return driver
    }

    /// Kay has left, and the note of that alone is stored. The next launch has gone on without the note, so she is in.
    static func withSilentNote(_ disk: inout Disk<Pairing>) -> Self {
        var driver = paired(&disk)
        driver.advance(by: .minutes(2))
        driver.send(.signedOut)
        let note = driver.storage[0]
        driver.answer(note.key, with: disk.carryOut(note))
        var next = fresh(seed: 2, wall: driver.context.wall)
        next.send(.launched)
        next.serve(from: &disk, but: { $0 == .request })
        next.advance(by: .seconds(5))
        return next
    }

    /// In, with a connection over which to decide.
    static func admin() -> Self {
        var disk = Disk<Pairing>()
        var driver = paired(&disk)
        driver.send(.linkOpened(link))
        return driver
    }

    static let link = Attempt(number: 900)

    mutating func submit(_ name: ExactText) {
        send(.nameEdited(name))
        send(.submitted)
    }

    /// The open question says something.
    @discardableResult
    mutating func hear(_ event: Pairing.Event) -> [Pairing.Effect] {
        guard let call = calls.last?.call else { return [] }
        return send(.received(event, on: call))
    }

    @discardableResult
    mutating func grant() -> [Pairing.Effect] {
        hear(.granted(Self.token, "kay", isAdmin: true))
    }

    /// The open question breaks.
    @discardableResult
    mutating func lose(_ end: CallEnd = .failed(.lost)) -> [Pairing.Effect] {
        guard let call = calls.last?.call else { return [] }
        return self.end(call, end)
    }

    /// Signs out for good; the data of the person cannot be erased.
    mutating func leaveData(_ disk: inout Disk<Pairing>) throws {
        send(.signedOutForGood)
        let erasing = try #require(state.erasing.data.first?.attempt)
        send(.dataNotErased(erasing))
        serve(from: &disk)
    }

    @discardableResult
    mutating func knock(
        _ device: DeviceID, name: ExactText = "Bo", on link: Attempt = Self.link
    ) -> [Pairing.Effect] {
        let request = PairingRequest(device: device, claimedName: name, info: Self.info)
        return send(.received(.requested(request), on: .link(link)))
    }

    var waiting: Pairing.Waiting? {
        if case .waitingForApproval(let waiting) = state.phase { waiting } else { nil }
    }

    var isAsking: Bool {
        if case .asking = waiting?.stage { true } else { false }
    }

    var failure: Pairing.Failure? {
        if case .failed(let failure) = state.phase { failure } else { nil }
    }

    /// The name that the open question carries.
    var askedName: ExactText? {
        if case .pair(_, let name, _) = calls.last?.request { name } else { nil }
    }

    var shown: [DeviceID] { Pairing.incomingRows(state).map { $0.request.device } }

    /// The device id that is stored or being stored.
    var deviceID: DeviceID? {
        switch state.device {
        case .known(let id), .saving(let id, _): id
        case .unknown, .loading, .unavailable: nil
        }
    }
}

extension Pairing.Erasing {
    /// Whether nothing is left to erase.
    var isOver: Bool { left.isEmpty && data.isEmpty }
}
