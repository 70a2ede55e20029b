// Chat with the other end of its socket: the messages on each connection, and the server's answers to them. So a search
// can check facts that no state of chat has: a message is sent once on one connection, and every written text is on the
// server or on the screen.

import ChatDomain
import ChatEffects

/// Chat beside the messages that its server has received.
struct ServedChat: Feature, Explorable {
    typealias Action = Chat.Action
    typealias Call = Chat.Call
    typealias Request = Chat.Request
    typealias Frame = Chat.Frame
    typealias Event = Chat.Event
    typealias Key = Chat.Key
    typealias Record = Chat.Record
    typealias Timer = Chat.Timer

    /// The feature.
    let chat: Chat

    struct State: DomainValue {
        /// The feature's own state.
        var chat: Chat.State
        /// Each message that was sent on a connection, in the order of the first time.
        var said: [Said] = []
        /// How many letters a person has typed and not deleted since.
        var written = 0
    }

    /// A message that was sent on a connection.
    struct Said: DomainValue {
        var key: ClientID
        let text: ExactText
        /// The time at which the server received it first.
        var time: WallTime
        /// The connection that carried it last.
        var link: Attempt
        /// How often that connection carried it since the server last asked for it again.
        var copies = 1
        var standing = Standing.out
    }

    /// The server's answer to a message.
    enum Standing: DomainValue {
        case out, heard, refused, deferred
    }

    /// The letter that a person types: equal texts are often handled wrongly. No drawn text has it, because the row of
    /// a file without text shows the file's name or kind, which the person did not write.
    static let letter: Character = "q"

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Chat.Effect] {
        note(action, &state)
        let effects = chat.reduce(&state.chat, action, in: &context)
        for effect in effects {
            guard case .send(.socket(let link), .say(let key, _, let text, _)) = effect else { continue }
            state.say(key, text, on: link, at: context.wall)
        }
        return effects
    }

    /// Notes an action before it is applied.
    private func note(_ action: Action, _ state: inout State) {
        switch action {
        case .draftEdited(let text):
            state.written += text.letters - state.chat.conversation.draft.text.letters
        case .deleted(let row):
            // A deleted text leaves its place, if the row offers a deletion.
            let before = Chat.rows(state.chat, newest: 10, .neutral)
            if let row = before.first(where: { $0.id == row && $0.role == .user }) {
                state.written -= row.text.letters
            }
        case .received(.acknowledged(let key), _): state.stand(key, .heard)
        case .received(.rejected(let key, _), _): state.stand(key, .refused)
        case .received(.deferred(let key, _), _): state.stand(key, .deferred)
        case .received(.message(let message), _):
            // An echo says as much as an acknowledgement, and may come before it.
            let index = state.said.indices.first { index in
                let names: [ClientID?] = [state.said[index].key, nil]
                return names.contains { state.echo(of: index, naming: $0) == message.wrappedValue }
            }
            guard let index else { return }
            state.said[index].standing = .heard
        default: break
        }
    }

    static func normalize(state: inout State, _ form: inout NormalForm) {
        state.chat.normalize(&form)
        for index in state.said.indices {
            form.rename(&state.said[index].key)
            form.relate(&state.said[index].time)
            form.rename(&state.said[index].link)
        }
    }
}

extension ServedChat.State {
    fileprivate mutating func say(
        _ key: ClientID, _ text: ExactText, on link: Attempt, at time: WallTime
    ) {
        guard let index = said.firstIndex(where: { $0.key == key }) else {
            said.append(ServedChat.Said(key: key, text: text, time: time, link: link))
            return
        }
        // The server does not have a deferred or refused message, so sending it again makes no second copy.
        let isAgain = said[index].link == link && [.out, .heard].contains(said[index].standing)
        said[index].copies = isAgain ? said[index].copies + 1 : 1
        said[index].link = link
        if said[index].standing != .heard { said[index].standing = .out }
    }

    fileprivate mutating func stand(_ key: ClientID, _ standing: ServedChat.Standing) {
        guard let index = said.firstIndex(where: { $0.key == key }) else { return }
        said[index].standing = standing
    }

    /// The server's possible answers: about messages that it has received, in any order, and twice. An acknowledgement,
    /// an echo and a reply are three facts, any of which may come first (C10).
    func answers(echoNamesClient: Bool) -> [Chat.Action] {
        guard let link = chat.connection.link else { return [] }
        var events: [Chat.Event] = []
        for (index, message) in said.enumerated() {
            let isHere = message.link == link
            if isHere, message.standing != .refused { events.append(.acknowledged(message.key)) }
            if isHere, message.standing == .out {
                events += [.rejected(message.key, reason: "no"), .deferred(message.key)]
            }
            guard message.standing == .heard || isHere && message.standing == .out else { continue }
            events.append(.message(echo(of: index, naming: echoNamesClient ? message.key : nil)))
            guard message.standing == .heard else { continue }
            events.append(
                .message(
                    IncomingMessage(
                        id: MessageID(ExactText("r\(index)")), role: .assistant, text: "r",
                        time: message.time, isGrowing: false)))
        }
        return events.map { .received($0, on: .socket(link)) }
    }

    /// The actions that the rows of the person's own messages offer.
    var rowActions: [Chat.Action] {
        ownRows.flatMap { row -> [Chat.Action] in
            row.offer == .retry ? [.retried(row.id), .deleted(row.id)] : [.deleted(row.id)]
        }
    }

    /// A message as the server sends it to all devices.
    fileprivate func echo(of index: Int, naming client: ClientID?) -> IncomingMessage {
        IncomingMessage(
            id: MessageID(ExactText("m\(index)")), client: client, role: .user, text: said[index].text,
            time: said[index].time, isGrowing: false)
    }

    /// The rows of the person's own messages.
    var ownRows: [Chat.Row] {
        Chat.rows(chat, newest: 10, .neutral).filter { $0.role == .user }
    }

    /// The number of visible letters.
    var shown: Int {
        ownRows.reduce(chat.conversation.draft.text.letters) { $0 + $1.text.letters }
    }
}

extension ExactText {
    fileprivate var letters: Int { string.count { $0 == ServedChat.letter } }
}

extension LongText {
    fileprivate var letters: Int { string.count { $0 == ServedChat.letter } }
}
