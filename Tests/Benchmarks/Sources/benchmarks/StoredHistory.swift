// A history on a disk: numbered pages of a conversation, half of it the person's own. One chat receives it and saves it, and
// a chat of its own reads it page by page.

import BareReducer
import ChatDomain
import ChatEffects

/// What is stored of a conversation.
struct StoredHistory {
    /// The number of messages of a page.
    private static let pageLength = 50

    private let disk: [Chat.Key: [UInt8]]

    /// - Parameter isNamed: Whether an echo names its message, as one written here; otherwise it may be of any device.
    init(pages count: Int64, isNamed: Bool) {
        var writer = Writer(isNamed: isNamed)
        writer.receive(Int(count) * StoredHistory.pageLength)
        disk = writer.disk
    }

    /// A chat that has just been launched, and the disk.
    func reader(_ carriage: Chat.Carriage) -> Reader { Reader(disk, carriage) }

    /// A chat on a socket, with the effects that nobody has answered yet.
    private struct Session {
        let chat: Chat
        var state: Chat.State
        var context = Context(moment: .start, entropy: .seeded(1))

        init(_ carriage: Chat.Carriage) {
            var configuration = Chat.Configuration()
            configuration.carriage = carriage
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

    /// Receives messages, and keeps what is saved.
    private struct Writer {
        let isNamed: Bool
        private var session = Session(.socket)
        private(set) var disk: [Chat.Key: [UInt8]] = [:]

        init(isNamed: Bool) { self.isNamed = isNamed }

        mutating func receive(_ count: Int) {
            var link: Chat.Call?
            var pending: [Chat.Action] = []
            func answer(_ effect: Chat.Effect) -> Chat.Action? {
                switch effect {
                case .load(let key, let attempt): return .stored(.missing, under: key, attempt)
                case .open(let call, _):
                    link = call
                    return nil
                case .save(let record, let key, let attempt):
                    if case .bytes(let bytes) = record.content(written: Moment.start.wall) {
                        disk[key] = bytes
                    }
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
            for number in 0..<count {
                let message = StoredHistory.message(number, isNamed: isNamed)
                session.send(.received(.message(message), on: link), answer)
            }
            // The disk answers last, so each page is written once or twice and not with each message.
            while let saved = pending.popLast() { session.send(saved, answer) }
        }
    }

    /// A question, or the answer to the one before it.
    private static func message(_ number: Int, isNamed: Bool) -> IncomingMessage {
        let isQuestion = number & 1 == 0
        return IncomingMessage(
            id: MessageID(bareID(number)),
            client: isQuestion && isNamed ? ClientID("c" + bareID(number)) : nil,
            role: isQuestion ? .user : .assistant, text: ExactText("Hello \(number)"),
            time: Moment.start.wall + .milliseconds(Int64(number)), isGrowing: false)
    }

    /// A chat that reads.
    struct Reader {
        private var session: Session
        private let disk: [Chat.Key: [UInt8]]
        /// The pages that are read already.
        private var ready: [Chat.Key: Chat.Record] = [:]
        private var oldest: Chat.Key?
        /// How many messages are in memory.
        private(set) var count: Int64 = 0

        fileprivate init(_ disk: [Chat.Key: [UInt8]], _ carriage: Chat.Carriage) {
            session = Session(carriage)
            self.disk = disk
            send(.signedIn(Session.account))
        }

        /// Reads so many of the pages that come next: a page in memory was made the moment before, and is in the caches
        /// however long the history is.
        mutating func makeReady(_ next: Int64) {
            guard case .page(let user, let conversation, let number) = oldest else { return }
            for page in number - next..<number {
                let key = Chat.Key.page(user, conversation, page)
                ready[key] = Reader.record(disk, key)
            }
        }

        /// The person wants to see what is older, and the disk answers.
        mutating func loadOlder() { send(.olderRequested) }

        private mutating func send(_ action: Chat.Action) {
            let (disk, ready) = (disk, ready)
            var (count, oldest) = (count, oldest)
            session.send(action) { effect in
                guard case .load(let key, let attempt) = effect else { return nil }
                if case .page = key {
                    count += Int64(pageLength)
                    oldest = key
                }
                let record = ready[key] ?? Reader.record(disk, key)
                return .stored(record.map { .loaded($0) } ?? .missing, under: key, attempt)
            }
            (self.count, self.oldest) = (count, oldest)
        }

        private static func record(_ disk: [Chat.Key: [UInt8]], _ key: Chat.Key) -> Chat.Record? {
            guard let bytes = disk[key], case .record(let record) = Chat.Record.read(bytes, under: key) else {
                return nil
            }
            return record
        }
    }
}
