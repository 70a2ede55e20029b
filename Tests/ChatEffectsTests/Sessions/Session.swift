// A whole life of the app, drawn from one seed: what a person does, what the world does to them, and after
// every step the laws. Start at `step`; SessionPerson and SessionWorld say what can happen, SessionLaws what
// must hold, and SessionLedger where every text of the person has to be.

@testable import ChatDomain
@testable import ChatEffects

/// One run of the app against the in-process backend.
struct Session {
    /// How bad the world is.
    enum World {
        /// Nothing breaks, so that every law holds to the letter.
        case kind
        /// The server and the network misbehave.
        case bad
        /// The disk fails as well, so that a process that ends may take something with it.
        case worse
    }

    /// What the app is, for the whole of the session.
    let app: ChatApp
    let world: World
    var loop: AppLoop
    var dice: Entropy
    var ledger = Ledger()
    /// The calls that were open lately, so that ghosts of them can speak.
    var known: [ChatApp.Call] = []
    /// Replies that the person has muted or deleted; they need not be whole.
    var excused: [MessageID] = []
    /// How many replies, which nobody could name then, the person has muted where.
    var muted: [ConversationID: Int] = [:]
    /// Whether the server may have kept an echo to itself, and with it what was said on another device.
    var mayHaveKeptEchoes = false
    /// What the person did last, so that they can tap twice.
    var last: ChatApp.Action?
    /// The first law that did not hold.
    var complaint: String?
    /// The last steps, oldest first.
    var trail: [String] = []
    /// Whether steps are written down; a session that failed is run once more for that.
    let isTold: Bool
    private(set) var steps = 0

    /// A session whose seed says also what the app and the server are like.
    init(seed: UInt64, isTold: Bool = false) {
        var dice = Entropy.seeded(seed)
        world = [.kind, .bad, .bad, .worse][dice.below(4)]
        app = Session.app(&dice)
        var behaviour = LocalServer.Behaviour()
        behaviour.dialect = [.cumulative, .deltas, .whole, .chunks][dice.below(4)]
        behaviour.namesClients = dice.below(2) == 0
        behaviour.showsTyping = dice.below(2) == 0
        behaviour.admins = dice.below(2) == 0 ? ["kaywood"] : []
        behaviour.code = dice.below(3) == 0 ? "1234" : nil
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: Stage.moment(0),
            entropy: .seeded(dice.next()))
        loop = AppLoop(machine, store: MemoryStore(), server: LocalServer(behaviour))
        self.dice = dice
        self.isTold = isTold
        loop.send(.launched)
        loop.pair()
        loop.advance(by: .seconds(3))
        loop.send(.chat(.shown))
    }

    /// Half of the apps have the default numbers, the others ones so small that they are reached.
    private static func app(_ dice: inout Entropy) -> ChatApp {
        let device = DeviceInfo(platform: "iOS", model: "iPhone")
        var chat = Chat.Configuration()
        var assistant = Assistant.Configuration()
        if dice.below(2) == 0 {
            chat.pageLength = 4
            chat.conversationLimit = 4
            chat.outboxLimit = 6
            chat.textLimit = 120
            chat.growingLimit = 2
            chat.inlineLimit = 8
            chat.uploadLimit = 40
            assistant.queueLimit = 3
            assistant.exchangeLimit = 6
        }
        return ChatApp(
            pairing: Pairing(configuration: Pairing.Configuration(device: device)),
            chat: Chat(configuration: chat), assistant: Assistant(configuration: assistant))
    }

    /// Something happens, and the laws hold.
    mutating func step() {
        steps += 1
        if dice.below(5) < 3 { personActs() } else { worldActs() }
        holdServerToAccount()
        check()
    }

    /// Runs so many steps, or until a law is broken, and then lets everything settle.
    mutating func run(steps count: Int) {
        while steps < count, complaint == nil { step() }
        if complaint == nil { settle() }
    }

    mutating func tell(_ happening: @autoclosure () -> String) {
        guard isTold else { return }
        trail.append("\(steps): \(happening())")
        if trail.count > 12 { trail.removeFirst() }
    }

    mutating func complain(_ law: String) {
        if complaint == nil { complaint = "step \(steps): \(law)" }
    }

    // MARK: The end

    /// Everything works from here on. Then nothing is under way, and every text is on the server once and on
    /// the screen once, or can be seen not to have been sent.
    mutating func settle() {
        tell("settling")
        loop.server.behaviour.rules = []
        loop.server.goOnline()
        loop.store.faults = []
        // What could not be read is read at the next launch.
        if !ledger.isDiskTrusted { relaunch(after: .zero) }
        let somebody = loop.state.account?.user
        for user in ([somebody].compactMap { $0 } + ledger.users.filter { $0 != somebody }) {
            signIn(user)
            calmDown()
            if let stuck = stuckSpinner(loop.machine) { return complain("L3: in the end, \(stuck)") }
            checkTexts()
            checkEnd(of: user)
            guard complaint == nil else { return }
        }
    }

    /// Time passes, and the person says yes to whatever asks.
    private mutating func calmDown() {
        for action: ChatApp.Action in [
            .networkChanged(isUp: true), .foregrounded, .chat(.shown), .assistant(.opened),
        ] {
            loop.send(action)
        }
        for _ in 0..<4 {
            for entry in loop.state.chat.list.entries {
                loop.send(.chat(.conversationSwitched(to: entry.id)))
                // One that goes shows that the next is old too.
                let waiting = loop.state.chat.conversation.outbox.queue.waiting
                for held in waiting {
                    loop.send(.chat(.heldApproved(held.id)))
                    loop.advance(by: .seconds(2))
                }
            }
            loop.send(.chat(.reconnectRequested))
            loop.advance(by: .minutes(10))
        }
        if !loop.isConnected { complain("L3: not connected in the end: \(loop.state.chat.connection)") }
    }

    /// Does what a person has to do to come in under a name.
    private mutating func signIn(_ user: UserID) {
        for _ in 0..<20 where loop.state.account?.user != user {
            holdServerToAccount()
            switch loop.state.pairing.phase {
            case .paired: loop.send(.pairing(loop.state.account == nil ? .retried : .signedOut))
            case .failed: loop.send(.pairing(.retried))
            case .waitingForApproval: loop.send(.pairing(.cancelled))
            case .restoring: break
            case .idle, .enteringName:
                loop.server.devices = []
                loop.send(.pairing(.nameEdited(user.text)))
                loop.send(.pairing(.submitted))
            }
            loop.advance(by: .minutes(2))
        }
        if loop.state.account?.user != user { complain("L3: \(user) is not let in in the end") }
        holdServerToAccount()
        loop.advance(by: .seconds(10))
    }

    /// The server knows a device under the name of who is signed in there: the token says so.
    mutating func holdServerToAccount() {
        guard let account = loop.state.account,
            loop.server.devices.first?.id != account.device
                || loop.server.devices.first?.user != account.user
        else { return }
        let request = PairingRequest(
            device: account.device, claimedName: account.user.text,
            info: app.pairing.configuration.device)
        loop.server.devices = [.init(request: request, standing: .admitted(account.user))]
    }
}

extension Entropy {
    /// A number from 0 up to, but not including, a positive bound.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}
