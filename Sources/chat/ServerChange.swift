// Outside events for the server. It runs in the process, so the program simulates its environment: the network, and the
// visitors of an admin.

import ChatDomain
import ChatEffects

/// An outside event for the server.
enum ServerChange: Equatable {
    /// The network goes up or down.
    case network(isUp: Bool)
    /// An admin is connected: from now on devices wait for approval, and a visitor requests it.
    case adminCame(visitor: PairingRequest)
    /// No admin is connected: the server approves devices automatically again.
    case adminLeft
}

/// A network of this program.
protocol ChatNetwork: NetworkDriver {
    /// Applies an outside event at a moment.
    mutating func happen(_ change: ServerChange, at moment: Moment)
}

extension LiveNetwork: ChatNetwork {
    /// Does nothing: a real network and the visitors of a real server are not this program's to change.
    mutating func happen(_ change: ServerChange, at moment: Moment) {}
}

extension LocalServer: ChatNetwork {
    /// Applies an outside event at a moment.
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

/// The simulated visitors of an admin: one for each sign-in.
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
