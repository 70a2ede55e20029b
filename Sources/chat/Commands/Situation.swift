// Maps a line of input to steps, given a state: the same for all ways of running the chat. Start at `steps`. Commands
// for printed items are in the files beside this one.

import ChatDomain

/// A state, with the numbers of the printed items.
struct Situation {
    let state: ChatApp.State
    let numbers: Numbers
    let wording: Wording
    /// The time until which the server wants to be left alone, if it has told one.
    var waitTime: String?
    /// Whether the server is outside of the program, so that the program cannot take its network away.
    var hasRealServer = false

    /// The number of newest rows that a command may refer to.
    private static let window: Int64 = 10_000

    /// The rows that a command may refer to, oldest first.
    var rows: [Chat.Row] { Chat.rows(state.chat, newest: Self.window, wording) }

    /// The steps for a line.
    func steps(for input: Input) -> [Step] {
        switch input {
        case .nothing: steps(forText: "")
        case .text(let text): steps(forText: ExactText(text))
        case .wrong(let reason): [.refuse(reason)]
        case .command(let command): steps(for: command)
        }
    }

    private func steps(for command: Command) -> [Step] {
        switch command {
        case .send(let which): send(which)
        case .discard: discard
        case .edit(let which, let text): edit(which, text)
        case .delete(let which): delete(which)
        case .retry(let which): retry(which)
        case .stop(let which): stop(which)
        case .show(let count): [.show(count: count)]
        case .older: Chat.hasOlder(state.chat) ? [.older] : [.say("There are no older messages.")]

        case .new(let title): new(title)
        case .list: whenPaired { [.say(conversations)] }
        case .switchTo(let place): switchTo(place)
        case .close(let place): close(place)

        case .attach(let path): whenPaired { [.attach(path: path)] }
        case .files: [.say(files)]
        case .detach(let which): detach(which)

        case .suggest(let kind): whenPaired { suggest(kind) }
        case .take: take
        case .dismiss: dismiss

        case .ask(let text): ask(text)
        case .example(let number): example(number)
        case .forget: forget

        case .requests: [.say(requests)]
        case .approve(let who, let user): approve(who, as: user)
        case .deny(let number, let reason): deny(number, reason)

        case .offline: network(isUp: false)
        case .online: network(isUp: true)
        case .reconnect: reconnect
        case .background: background
        case .foreground: foreground

        case .cancel: cancel
        case .signOut: whenPaired { [.act([.pairing(.signedOut)]), .tell("You are signed out.")] }
        case .erase: whenPaired { [.act([.dataErased]), .tell("You are signed out, and erased here.")] }
        case .wait(let interval): [.wait(interval)]
        case .help(let topic): [.say(Help.lines(topic))]
        case .quit: [.quit]
        }
    }

    /// The steps if a person is signed in; otherwise a refusal.
    func whenPaired(_ steps: () -> [Step]) -> [Step] {
        state.pairing.session == nil ? [.refuse("Not yet: nobody is signed in.")] : steps()
    }

    private var reconnect: [Step] {
        switch state.chat.connection {
        case .connected, .replaying: [.say("There is a connection.")]
        case .connecting, .authenticating: [.say("A connection is being made.")]
        case .reconnecting(.offline): [.refuse("You are offline; /online ends that.")]
        case .disconnected where state.chat.shared.wish.presence != .foreground:
            [.refuse("You are in the background; /foreground ends that.")]
        case .disconnected, .reconnecting, .failed:
            whenPaired {
                let wait = waitTime.map { [Step.refuse("The server wants to be left alone until \($0).")] }
                return (wait ?? []) + [.act([.chat(.reconnectRequested)])]
            }
        }
    }

    private func network(isUp: Bool) -> [Step] {
        let place = isUp ? "online" : "offline"
        guard state.isNetworkUp != isUp else { return [.say("You are \(place) already.")] }
        guard !hasRealServer else {
            return [.refuse("Only the server in the program can be lost; /background ends the connection.")]
        }
        return [.tell("You are \(place) now."), .network(isUp: isUp)]
    }

    private var background: [Step] {
        guard state.chat.shared.wish.presence == .foreground else {
            return [.refuse("In the background already.")]
        }
        return [.tell("As in the background now: the connection ends soon."), .act([.backgrounded])]
    }

    private var foreground: [Step] {
        guard state.chat.shared.wish.presence != .foreground else { return [.refuse("In front already.")] }
        return [.tell("In front again."), .act([.foregrounded])]
    }

    private var cancel: [Step] {
        guard case .waitingForApproval = state.pairing.phase else {
            return [.refuse("There is nothing to cancel.")]
        }
        return [.act([.pairing(.cancelled)])]
    }

    // MARK: Text

    private func steps(forText text: ExactText) -> [Step] {
        switch state.pairing.phase {
        case .idle where state.pairing.notice != nil, .enteringName where state.pairing.notice != nil:
            // Text for a conversation must not become a name after the sign-out (P10).
            text.isEmpty
                ? [.act([.pairing(.noticeDismissed)])]
                : [.refuse("Not sent: you were signed out. Press Enter to begin anew.")]
        case .idle, .enteringName, .failed(.emptyName): submit(text)
        case .failed:
            // The same holds after a refused name.
            text.isEmpty
                ? [.act([.pairing(.retried)])]
                : [.refuse("Not sent: you are not in. Press Enter to try again.")]
        case .restoring, .waitingForApproval:
            text.isEmpty ? [] : [.refuse("Not sent: please wait, or type /cancel.")]
        case .paired where state.account == nil:
            text.isEmpty
                ? [.act([.pairing(.retried)])]
                : [.refuse("Not sent: this device is not ready. Press Enter to try again.")]
        case .paired: text.isEmpty ? [.act([.chat(.bannerDismissed)])] : message(text)
        }
    }

    /// Refuses to send a draft with a file whose bytes are not stored yet.
    static var copying: Step { .refuse("Not sent: a file is still being stored. Try again in a moment.") }

    private func submit(_ name: ExactText) -> [Step] {
        // Two steps, so that a repeated refusal is printed again.
        [.act([.pairing(.nameEdited(name))]), .act([.pairing(.submitted)])]
    }

    private func message(_ text: ExactText) -> [Step] {
        guard state.chat.conversation.isCopied else { return [Self.copying] }
        let former = state.chat.conversation.draft.text
        return [
            // Dismissed first, so that a repeated banner is printed again.
            .act([.chat(.bannerDismissed)]),
            .act([.chat(.draftEdited(text)), .chat(.sent)]),
            .recall(former: former == text ? "" : former),
        ]
    }
}
