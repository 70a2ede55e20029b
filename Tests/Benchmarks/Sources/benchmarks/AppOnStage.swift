// The real root in the real machine, brought to where somebody chats: signed in, connected, with a transcript
// and a disk that answers when it is told to.

import AllocationCount
import BareReducer
import ChatDomain
import ChatEffects

/// A machine with the app on it, connected, with a transcript of so many replies.
struct AppOnStage {
    var machine: Machine<SilentBackend<ChatApp>>
    var moment = Moment.start
    private let call: ChatApp.Call
    private var replies: Int

    init(messages count: Int) {
        var configuration = Chat.Configuration()
        configuration.transcriptLimit = 1_000_000
        let device = DeviceInfo(platform: "linux", model: "bench")
        let app = ChatApp(
            pairing: Pairing(configuration: Pairing.Configuration(device: device)),
            chat: Chat(configuration: configuration))
        machine = Machine(
            app, state: ChatApp.State(app), backend: SilentBackend(), moment: moment, entropy: .seeded(1))
        let account = Account(
            user: "6f1c8a52-3b7e-4d90-9e2a-0a1b2c3d4e5f", secret: SecretHandle("token"),
            device: "6f1c8a52-3b7e-4d90-9e2a-5f4e3d2c1b0a")
        machine.send(.chat(.signedIn(account)), at: moment)
        AppOnStage.serve(&machine, at: moment)
        machine.send(.chat(.shown), at: moment)
        guard case .connecting(let attempt) = machine.state.chat.connection else {
            preconditionFailure("The stage does not connect")
        }
        call = .chat(.socket(attempt))
        replies = 0
        receive(.opened)
        receive(.authenticated(replayCount: 0, isTruncated: false, isReset: false))
        while replies < count {
            receive(AppOnStage.reply(replies, "Hello"))
            replies += 1
        }
        AppOnStage.serve(&machine, at: moment)
        let rows = Chat.rows(machine.state.chat, newest: .max, .neutral).count
        precondition(
            rows == count && machine.state.chat.connection == .connected(attempt), "The stage is not set")
    }

    /// The person turns to a conversation that they begin, and perhaps back; what arrives belongs to the one that they
    /// left.
    mutating func park(thenReturn isBack: Bool) {
        machine.send(.chat(.conversationCreated(title: "")), at: moment)
        if isBack { machine.send(.chat(.conversationSwitched(to: .main)), at: moment) }
        serve()
    }

    /// A finished reply with the id that the yardstick gives its message of that number.
    static func reply(_ number: Int, _ text: ExactText) -> Chat.Event {
        .message(
            IncomingMessage(
                id: MessageID(bareID(number)), role: .assistant, text: text,
                time: Moment.start.wall + .milliseconds(Int64(number)), isGrowing: false))
    }

    /// What the call brings, as an action.
    func action(_ event: Chat.Event) -> ChatApp.Action { .received(.chat(event), on: call) }

    mutating func receive(_ event: Chat.Event) { machine.send(action(event), at: moment) }

    /// Ends the reply that grows, if one does, begins another, and returns its next token as an action.
    mutating func beginReply() -> ChatApp.Action {
        if replies > 0 { receive(AppOnStage.reply(replies - 1, "Hello")) }
        let id = MessageID(bareID(replies))
        replies += 1
        receive(.began(id, in: .main))
        receive(.delta(id, ExactText(Bare.token)))
        AppOnStage.serve(&machine, at: moment)
        return action(.delta(id, ExactText(Bare.token)))
    }

    /// Hands the stage over as a variable of the caller's own: one that a closure captured is checked for
    /// exclusive use at every access.
    mutating func play(_ body: (inout AppOnStage) -> Void) {
        body(&self)
        black_hole(machine.hasOperations ? 1 : 0)
    }

    /// Answers all that is asked of the disk: it is empty, and saves.
    mutating func serve() { AppOnStage.serve(&machine, at: moment) }

    private static func serve(_ machine: inout Machine<SilentBackend<ChatApp>>, at moment: Moment) {
        while machine.hasOperations {
            var answers: [Outcome] = []
            machine.drain { operation in
                switch operation {
                case .load(let ticket, _): answers.append(.missing(ticket))
                case .save(let ticket, _, _): answers.append(.saved(ticket))
                case .erase(let ticket, _): answers.append(.erased(ticket))
                case .open, .send, .close, .setAside, .haptic: break
                }
            }
            for answer in answers { machine.receive(answer, at: moment) }
        }
    }
}
