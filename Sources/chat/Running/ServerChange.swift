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
    /// The server has restarted, and knows nothing of these questions of a person.
    case questionsLost([ClientID], of: UserID)
}

/// A network of this program.
protocol ChatNetwork: NetworkDriver {
    /// Whether the server is outside of the program.
    static var isReal: Bool { get }

    /// Applies an outside event at a moment.
    mutating func happen(_ change: ServerChange, at moment: Moment)
}

extension LiveNetwork: ChatNetwork {
    static var isReal: Bool { true }

    /// Does nothing: this program cannot change a real network or the visitors of a real server.
    mutating func happen(_ change: ServerChange, at moment: Moment) {}
}

extension LocalServer: ChatNetwork {
    static var isReal: Bool { false }

    /// Applies an outside event at a moment.
    mutating func happen(_ change: ServerChange, at moment: Moment) {
        switch change {
        case .network(isUp: true): goOnline()
        case .network(isUp: false): goOffline()
        case .adminCame(let visitor):
            behaviour.approval = .byAdmin
            visit(visitor, at: moment)
        case .adminLeft: behaviour.approval = .automatic
        case .questionsLost(let questions, let user):
            guard let call = connections(of: user).last else { return }
            for question in questions {
                let frame = ClawlineFrames.error(
                    "server_error", message: "The answer was lost when the program ended.",
                    about: question.text)
                push(frame, on: call)
            }
        }
    }
}

/// The events around the app that its states cause, in the environment of this program.
struct Surroundings {
    private var lost = LostQuestions()
    private var visitors = Visitors()

    /// The event that a state causes at the server; nil if there is none, or if it was caused before.
    mutating func change(_ state: ChatApp.State) -> ServerChange? {
        lost.change(state) ?? visitors.change(state)
    }
}

/// The simulated visitors of an admin: one for each sign-in.
struct Visitors {
    private static let names: [ExactText] = ["Grace", "Linus", "Katherine Johnson", "Edsger"]

    private var isAdminHere = false
    private var count = 0

    /// The event that a state causes at the server; nil if there is none, or if it was caused before.
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

/// The questions of an earlier run. The server in the process has ended with it, so it reports at once that their
/// answers are lost; otherwise they would be awaited as long as those of a server that thinks (C12).
struct LostQuestions {
    /// The questions that waited before there was a connection; nil once the server has the report.
    private var waiting: [ClientID]? = []

    /// The event that a state causes at the server, once.
    mutating func change(_ state: ChatApp.State) -> ServerChange? {
        guard let known = waiting, let user = state.account?.user, state.chat.shared.wish.isRestored else {
            return nil
        }
        let now = state.chat.conversations.flatMap(Self.waiting)
        switch state.chat.connection {
        case .connected:
            waiting = nil
            let lost = known.filter { now.contains($0) }
            return lost.isEmpty ? nil : .questionsLost(lost, of: user)
        case .disconnected, .connecting, .authenticating, .replaying, .reconnecting, .failed: waiting = now
        }
        return nil
    }

    private static func waiting(_ conversation: Chat.Conversation) -> [ClientID] {
        conversation.pushed.turns.turns.compactMap { turn in
            guard case .waiting = turn.stage, case .written(let key) = turn.question else { return nil }
            return key
        }
    }
}
