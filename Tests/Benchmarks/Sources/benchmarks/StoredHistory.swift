// A history on a disk: numbered pages of a conversation, half of it written here. One chat receives it and saves it, and
// a chat of its own reads it page by page.

import BareReducer
import ChatDomain

/// What is stored of a conversation.
struct StoredHistory {
    /// The number of messages of a page.
    private static let pageLength = 50

    private let pages: [Chat.Record]
    private let contents: Chat.Record?

    init(pages count: Int64) {
        var writer = Writer()
        writer.receive(0..<Int(count))
        (pages, contents) = (writer.pages, writer.contents)
        precondition(pages.count == count, "\(pages.count) of \(count) pages are stored")
    }

    /// A chat that has just been launched, and the disk.
    func reader() -> Reader { Reader(pages, contents) }

    /// A chat on a socket, with the effects that nobody has answered yet.
    private struct Session {
        let chat: Chat
        var state: Chat.State
        var context = Context(moment: .start, entropy: .seeded(1))

        init() {
            var configuration = Chat.Configuration()
            configuration.transcriptLimit = 1_000_000
            chat = Chat(configuration: configuration)
            state = Chat.State(configuration: configuration)
        }

        static let account = Account(
            user: "6f1c8a52-3b7e-4d90-9e2a-0a1b2c3d4e5f", secret: SecretHandle("token"), device: "d")

        /// Reduces an action, and answers what `answer` has an answer for, until nothing is left.
        mutating func send(_ action: Chat.Action, _ answer: (Chat.Effect) -> Chat.Action?) {
            var actions = [action]
            while let next = actions.popLast() {
                actions += chat.reduce(&state, next, in: &context).compactMap(answer)
            }
        }
    }

    /// Receives pages of messages, and keeps what is saved.
    private struct Writer {
        private var session = Session()
        private var stored: [Int64: Chat.Record] = [:]
        private(set) var contents: Chat.Record?

        /// The saved pages, oldest first.
        var pages: [Chat.Record] { stored.sorted { $0.key < $1.key }.map { $0.value } }

        mutating func receive(_ pages: Range<Int>) {
            var link: Chat.Call?
            var pending: [Chat.Action] = []
            func answer(_ effect: Chat.Effect) -> Chat.Action? {
                switch effect {
                case .load(let key, let attempt): return .stored(.missing, under: key, attempt)
                case .open(let call, _):
                    link = call
                    return nil
                case .save(let record, let key, let attempt):
                    if case .page(_, _, let number) = key { stored[number] = record }
                    if case .contents = key { contents = record }
                    pending.append(.stored(.saved, under: key, attempt))
                    return nil
                default: return nil
                }
            }
            session.send(.signedIn(Session.account), answer)
            session.send(.shown, answer)
            guard let link else { return }
            session.send(.received(.opened, on: link), answer)
            session.send(
                .received(.authenticated(replayCount: 0, isTruncated: false, isReset: false), on: link),
                answer)
            for number in pages.lowerBound * pageLength..<pages.upperBound * pageLength {
                session.send(.received(.message(StoredHistory.message(number)), on: link), answer)
            }
            // The disk answers last, so each page is written once or twice and not with each message.
            while let saved = pending.popLast() { session.send(saved, answer) }
        }
    }

    /// A question, or the answer to the one before it.
    private static func message(_ number: Int) -> IncomingMessage {
        let isQuestion = number & 1 == 0
        return IncomingMessage(
            id: MessageID(bareID(number)), client: isQuestion ? ClientID("c" + bareID(number)) : nil,
            role: isQuestion ? .user : .assistant, text: ExactText("Hello \(number)"),
            time: Moment.start.wall + .milliseconds(Int64(number)), isGrowing: false)
    }

    /// A chat that reads.
    struct Reader {
        private var session = Session()
        private var pages: [Chat.Record]
        private let contents: Chat.Record?
        /// How many messages are in memory.
        private(set) var count: Int64 = 0

        fileprivate init(_ pages: [Chat.Record], _ contents: Chat.Record?) {
            (self.pages, self.contents) = (pages, contents)
            send(.signedIn(Session.account))
        }

        /// Has the disk make so many of the pages that come next anew: what is read from a real one was made the moment
        /// before, and is in the caches however long the history is.
        mutating func makeReady(_ next: Int) {
            let end = pages.count - Int(count) / pageLength
            var writer = Writer()
            writer.receive(end - next..<end)
            pages.replaceSubrange(end - next..<end, with: writer.pages)
        }

        /// The person wants to see what is older, and the disk answers.
        mutating func loadOlder() { send(.olderRequested) }

        private mutating func send(_ action: Chat.Action) {
            let (pages, contents) = (pages, contents)
            var count = count
            session.send(action) { effect in
                guard case .load(let key, let attempt) = effect else { return nil }
                switch key {
                case .contents: return .stored(contents.map { .loaded($0) } ?? .missing, under: key, attempt)
                case .page(_, _, let number):
                    count += Int64(pageLength)
                    return .stored(.loaded(pages[Int(number)]), under: key, attempt)
                default: return .stored(.missing, under: key, attempt)
                }
            }
            self.count = count
        }
    }
}
