// What happens to the server from outside the app. It runs in the process, so the program has to play the world
// around it: the network, and for an admin the visitors who ask to come in.

import ChatDomain
import ChatEffects

/// Something that happens to the server.
enum ServerChange: Equatable {
    /// Its network is cut, or mended.
    case network(isUp: Bool)
    /// An admin is connected: from now on devices wait for them, and a visitor asks to come in.
    case adminCame(visitor: PairingRequest)
    /// No admin is there any more: the server lets devices in by itself again.
    case adminLeft
}

extension LocalServer {
    /// Lets something happen to the server at a moment.
    mutating func happen(_ change: ServerChange, at moment: Moment) {
        switch change {
        case .network(isUp: true): goOnline()
        case .network(isUp: false): goOffline()
        case .adminCame(let visitor):
            behaviour.approval = .byAdmin
            visit(visitor, at: moment)
        case .adminLeft: behaviour.approval = .automatic
        }
    }
}

/// Who visits an admin. Each time that one signs in, another visitor comes.
struct Visitors {
    private static let names: [ExactText] = ["Grace", "Linus", "Katherine Johnson", "Edsger"]

    private var isAdminHere = false
    private var count = 0

    /// What happens to the server because of a state, if anything does now that did not before.
    mutating func change(_ state: ChatApp.State) -> ServerChange? {
        let credentials = state.pairing.session?.credentials
        guard credentials?.isAdmin == true else {
            defer { isAdminHere = false }
            return isAdminHere ? .adminLeft : nil
        }
        guard !isAdminHere, case .connected = state.chat.connection else { return nil }
        isAdminHere = true
        count += 1
        let name = Self.names[(count - 1) % Self.names.count]
        return .adminCame(
            visitor: PairingRequest(
                device: DeviceID("visitor-\(count)"), claimedName: name,
                info: DeviceInfo(platform: "iOS", model: "Phone")))
    }
}
