// Several devices of several people, a server, disks and a network between them, on one virtual clock, drawn from one
// seed: the actions of people, the events around them, and after every step the laws. Start at `run`. SimulationPerson,
// SimulationHabits and SimulationWorld have the possible events; Laws, TextLaws, ScreenLaws, DeletionLaws and EndLaws
// the laws; Ledger the account of every text. SimulationClock moves the time.
//
// Guarantees: the same seed of the same build reproduces every byte, which the digest shows; nothing but the seed and
// the calls of its owner has any influence.

import ChatDomain
import ChatEffects

/// One run of the app on several devices against one server.
package struct Simulation: PlainValue {
    /// How much goes wrong.
    package enum Weather: PlainValue {
        /// Nothing breaks, so that every law holds to the letter.
        case fair
        /// The server and the network misbehave.
        case bad
        /// The disks fail as well, so that a process that ends may take something with it.
        case worse
    }

    /// The app on every device.
    package let app: ChatApp
    package let weather: Weather
    package var devices: [Device]
    package var server: LocalServer
    var network = Network()
    /// The time, by the clock of the server.
    var moment = Moment(now: .origin, wall: Simulation.epoch)
    var dice: Entropy
    /// The acting device.
    package internal(set) var here = 0
    /// Whether the server may have omitted an echo, and with it a message from another device.
    var mayHaveOmittedEchoes = false
    /// Whether the server may have answered out of order, or reported for an answered question that it does not answer.
    /// Its replies do not name their questions, so a client can then only guess.
    var mayMistakeAnswers = false
    /// The latest mark; each text gets a new one.
    var lastMark = 0
    /// The time of all long absences, which the length of a run does not count.
    var away = Interval.zero
    /// The digest of all messages on the network, with their times.
    var traffic = Digest()
    /// The first law that did not hold.
    package internal(set) var complaint: String?
    /// The last steps, oldest first.
    package internal(set) var trail: [String] = []
    /// Whether steps are written down; a failed run is repeated for that.
    let isTraced: Bool
    /// The number of steps taken.
    package private(set) var stepCount = 0

    /// The wall time at the beginning.
    static let epoch = WallTime(millisecondsSince1970: 1_000_000)
    /// The number of steps in a report: enough to show the cause of a violation.
    private static let trailLength = 24

    /// Creates a simulation; the seed also decides the settings of the app, the server and the network.
    package init(seed: UInt64, isTraced: Bool = false) {
        var dice = Entropy.seeded(seed)
        weather = [.fair, .bad, .bad, .worse][dice.below(4)]
        app = Simulation.app(&dice)
        var behaviour = LocalServer.Behaviour()
        behaviour.dialect = [.cumulative, .deltas, .whole, .chunks][dice.below(4)]
        behaviour.namesClients = dice.below(2) == 0
        behaviour.showsTyping = dice.below(2) == 0
        behaviour.admins = dice.below(2) == 0 ? ["kaywood"] : []
        behaviour.code = dice.below(3) == 0 ? "1234" : nil
        server = LocalServer(behaviour)
        let paces: [Network.Pace] = weather == .fair ? [.none, .quick] : [.none, .quick, .rough]
        network.pace = paces[dice.below(paces.count)]
        let people: [(ExactText, ExactText)] = [
            ("phone", "Kaywood"), ("tablet", "Kaywood"), ("Bo's phone", " bo\u{301} "),
        ]
        devices = []
        // One device in four runs is alone, so that the others hide nothing.
        for (name, person) in people.prefix(dice.below(4) == 0 ? 1 : 3) {
            let machine = Machine(
                app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment,
                entropy: .seeded(dice.next()))
            var disk = Disk()
            disk.isSlow = dice.below(2) == 0
            let loop = Loop(machine, store: disk, server: Line())
            devices.append(Device(name: name, person: person, loop: loop))
        }
        self.dice = dice
        self.isTraced = isTraced
        for index in devices.indices {
            here = index
            send(.launched)
            advance(by: .seconds(1))
            send(.pairing(.nameEdited(devices[index].person)))
            send(.pairing(.submitted))
        }
        advance(by: .seconds(5))
        if self.dice.below(3) == 0 { tellHistory() }
        for index in devices.indices {
            here = index
            send(.chat(.shown))
        }
    }

    /// The app with its limits. Half of the runs have the defaults, the others limits so small that a run reaches them.
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
        } else if dice.below(2) == 0 {
            chat.pageLength = 8
        }
        return ChatApp(
            pairing: Pairing(configuration: Pairing.Configuration(device: device)),
            chat: Chat(configuration: chat), assistant: Assistant(configuration: assistant))
    }

    // MARK: Running

    /// Runs the safety phase for that long, then the liveness phase. Stops at the first broken law. Returns `false`
    /// when `mayContinue`, which is asked before every step, has stopped it.
    @discardableResult
    package mutating func run(for duration: Interval, while mayContinue: () -> Bool = { true }) -> Bool {
        let end = moment.now + duration
        while moment.now < end + away, complaint == nil {
            guard mayContinue() else { return false }
            step(before: end + away)
        }
        if complaint == nil { settleDown() }
        return true
    }

    /// Lets something happen, not after the limit, and checks the laws.
    package mutating func step(before end: Instant = Instant(nanoseconds: .max)) {
        stepCount += 1
        here = dice.below(devices.count)
        if dice.below(5) < 3 { personActs() } else { worldActs(before: end) }
        holdServerToAccount()
        check()
    }

    /// The digest of every byte that was sent or stored, and of all drawn numbers.
    package var digest: UInt64 {
        var digest = traffic
        for device in devices { digest.add(device.loop.store.digest.value) }
        var dice = dice
        digest.add(dice.next())
        return digest.value
    }

    /// The state of the app on the acting device.
    var state: ChatApp.State { devices[here].loop.state }

    /// The time since the start.
    package var passed: Interval { moment.now - .origin }

    mutating func trace(_ happening: @autoclosure () -> String) {
        guard isTraced else { return }
        trail.append("\(stepCount), \(passed.milliseconds) ms, \(devices[here].name): \(happening())")
        if trail.count > Self.trailLength { trail.removeFirst() }
    }

    mutating func complain(_ law: String) {
        if complaint == nil { complaint = "step \(stepCount), \(devices[here].name): \(law)" }
    }
}

extension Entropy {
    /// A number from 0 up to, but not including, a positive bound.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}
