// A history on a disk: numbered pages of a conversation, half of it written here, which a chat of its own reads page by
// page.

import BareReducer
import ChatDomain

/// What is stored of a conversation.
struct StoredHistory {
    private let pages: [Page]

    init(pages count: Int64) {
        pages = (0..<count).map { StoredHistory.page($0, of: count) }
    }

    private static func page(_ page: Int64, of count: Int64) -> Page {
        Page(
            messages: (0..<50).map { row in StoredHistory.message(Int(page) * 50 + row) },
            cursor: MessageID(bareID(Int(count) * 50 - 1)))
    }

    /// A question, or the answer to the one before it.
    private static func message(_ number: Int) -> Message {
        let key = ClientID("c" + bareID(number & ~1))
        let author: Message.Author =
            number & 1 == 0 ? .here(Message.Written(client: key, status: .delivered)) : .assistant(to: key)
        return Message(
            id: MessageID(bareID(number)), author: author, body: .text(LongText("Hello \(number)")),
            time: Moment.start.wall + .milliseconds(Int64(number)), isPlaced: true)
    }

    /// A chat that has just been launched, and the disk.
    func reader() -> Reader { Reader(pages) }

    /// A chat that reads.
    struct Reader {
        private let chat: Chat
        private var state: Chat.State
        private var context = Context(moment: .start, entropy: .seeded(1))
        private var pages: [Page]

        fileprivate init(_ pages: [Page]) {
            self.pages = pages
            var configuration = Chat.Configuration()
            configuration.transcriptLimit = 1_000_000
            chat = Chat(configuration: configuration)
            state = Chat.State(configuration: configuration)
            let account = Account(
                user: "6f1c8a52-3b7e-4d90-9e2a-0a1b2c3d4e5f", secret: SecretHandle("token"), device: "d")
            send(.signedIn(account))
        }

        /// How many messages are in memory.
        var count: Int64 { state.conversation.transcript.rows.count }

        /// Has the disk make so many of the pages that come next anew: what is read from a real one was made the moment
        /// before, and is in the caches however long the history is.
        mutating func makeReady(_ next: Int64) {
            let end = Int64(pages.count) - count / 50
            for page in end - next..<end {
                pages[Int(page)] = StoredHistory.page(page, of: Int64(pages.count))
            }
        }

        /// The person wants to see what is older, and the disk answers.
        mutating func loadOlder() { send(.olderRequested) }

        private mutating func send(_ action: Chat.Action) {
            var actions = [action]
            while let next = actions.popLast() {
                for effect in chat.reduce(&state, next, in: &context) {
                    guard case .load(let key, let attempt) = effect else { continue }
                    actions.append(.stored(answer(key), under: key, attempt))
                }
            }
        }

        private func answer(_ key: Chat.Key) -> StorageAnswer<Chat.Record> {
            switch key {
            case .contents:
                .loaded(.contents(Contents(oldestPage: 0, newestPage: Int64(pages.count) - 1)))
            case .page(_, _, let number): .loaded(.page(pages[Int(number)]))
            default: .missing
            }
        }
    }
}
