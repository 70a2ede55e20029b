// What a line of input leads to: actions of the app, changes of the world around it, or words of the program's
// own. The same for all ways of running the chat.

import ChatDomain
import ChatEffects

/// What is to be done about a line.
enum Response: Equatable {
    /// Send these actions.
    case actions([App.Action])
    /// Cut the network, or mend it.
    case network(isUp: Bool)
    /// Say this.
    case say([String])
    /// Show older messages.
    case older
    /// End the program.
    case quit
}

extension Response {
    /// Understands a line in the light of a state.
    init(_ input: Input, _ state: App.State) {
        switch input {
        case .command(.help): self = .say(Command.list)
        case .command(.quit): self = .quit
        case .command(.offline): self = .network(isUp: false)
        case .command(.online): self = .network(isUp: true)
        case .command(.older):
            self = state.hasOlder ? .older : .say(["there are no older messages"])
        case .command(.cancel): self = .actions([.pairing(.cancelled)])
        case .command(.signout): self = .actions([.pairing(.signedOut)])
        case .unknown(let word, let suggestion):
            let known = suggestion.map { "; did you mean /\($0.rawValue)?" } ?? "; /help lists the commands"
            self = .say(["there is no command /\(Narrator.printable(word))\(known)"])
        case .nothing: self = Response(text: "", state)
        case .text(let text): self = Response(text: text, state)
        }
    }

    private init(text: String, _ state: App.State) {
        switch state.pairing.phase {
        case .idle, .enteringName:
            self = .actions([.pairing(.nameEdited(ExactText(text))), .pairing(.submitted)])
        case .failed:
            let retry = App.Action.pairing(.retried)
            self =
                text.isEmpty
                ? .actions([retry])
                : .actions([retry, .pairing(.nameEdited(ExactText(text))), .pairing(.submitted)])
        case .restoring, .waitingForApproval:
            self = .say(text.isEmpty ? [] : ["please wait, or type /cancel"])
        case .paired where state.account == nil:
            self =
                text.isEmpty
                ? .actions([.pairing(.retried)])
                : .say(["not sent: this device is not ready; Enter tries again"])
        case .paired:
            self =
                text.isEmpty
                ? .actions([.chat(.bannerDismissed)])
                : .actions([.chat(.draftEdited(ExactText(text))), .chat(.sent)])
        }
    }
}

extension App.State {
    /// Whether a line of input would be taken now: nothing that was begun is under way.
    var isReadyForInput: Bool {
        switch pairing.phase {
        case .idle, .enteringName, .failed: true
        case .restoring, .waitingForApproval: false
        case .paired: isSettled
        }
    }

    /// Whether older messages are stored than those in memory.
    var hasOlder: Bool { chat.conversation.transcript.pages.previousPage != nil }

    /// Whether everything that was sent is answered, or cannot be for now.
    var isSettled: Bool {
        switch chat.connection {
        case .connecting, .authenticating, .replaying: return false
        case .disconnected where chat.isShown && account != nil && isNetworkUp: return false
        case .reconnecting(.backoff): return false
        case .connected: return isAnswered
        case .disconnected, .reconnecting, .failed: return true
        }
    }

    /// Whether every message has gone and is answered.
    var isAnswered: Bool {
        chat.conversation.draft.text.trimmed.isEmpty && chat.conversation.outbox.queue.isEmpty
            && chat.conversation.awaitingReply.isEmpty
            && chat.conversation.growing.isEmpty
    }
}
