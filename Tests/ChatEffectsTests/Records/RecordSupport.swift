// Examples of every record, which Docs/Storage.md shows too, and random ones.

import ChatDomain
@testable import ChatEffects

/// Every kind of record that the library stores.
enum RecordKind: CaseIterable {
    case device, credentials, secret, request
    case conversations, pacing, draft, outbox, contents, page, attachment
    case asking

    /// The format of its envelope; `nil` for a kind that is stored as it is.
    var format: RecordFormat? {
        switch self {
        case .device: .device
        case .credentials: .credentials
        case .request: .request
        case .conversations: .conversations
        case .pacing: .pacing
        case .draft: .draft
        case .outbox: .outbox
        case .contents: .contents
        case .page: .page
        case .asking: .asking
        case .secret, .attachment: nil
        }
    }

    var name: String { format?.name.string ?? "\(self)" }
}

struct RecordExample {
    let kind: RecordKind
    let key: ChatApp.Key
    let record: ChatApp.Record

    static let written = WallTime(millisecondsSince1970: 1_767_225_600_000)

    /// The bytes under the key; empty for a secret.
    func bytes(_ written: WallTime = Self.written) -> [UInt8] { recordBytes(record, written) }

    static var all: [RecordExample] { RecordKind.allCases.map { RecordExample($0) } }
    static var enveloped: [RecordExample] { all.filter { $0.kind.format != nil } }

    init(_ kind: RecordKind) {
        self.kind = kind
        switch kind {
        case .device:
            (key, record) = (.pairing(.device), .pairing(.device("d-1")))
        case .credentials:
            let credentials = Credentials(user: "ada", isAdmin: true, secret: SecretHandle("s-1"))
            (key, record) = (.pairing(.credentials), .pairing(.credentials(credentials)))
        case .secret:
            (key, record) = (
                .pairing(.secret(SecretHandle("{handle}"))), .pairing(.secret(Secret("eyJtoken")))
            )
        case .request:
            let request = PendingRequest(
                name: "Ada", submitted: Self.written - .seconds(1),
                pacing: Pacing(
                    asked: [Self.written - .milliseconds(500)], notBefore: Self.written + .seconds(1),
                    written: Self.written),
                secrets: [SecretHandle("s-2"), SecretHandle("s-1")],
                left: [SecretHandle("s-0")], erased: ["kay"])
            (key, record) = (.pairing(.request), .pairing(.request(request)))
        case .conversations:
            let entries = [ConversationEntry(id: .main), ConversationEntry(id: "v-1", title: "Work")]
            (key, record) = (
                .chat(.conversations("{user}")), .chat(.conversations(entries, current: "v-1"))
            )
        case .pacing:
            let pacing = Pacing(
                asked: [Self.written - .milliseconds(500)], notBefore: Self.written + .seconds(60),
                written: Self.written)
            (key, record) = (
                .chat(.pacing("{user}")),
                .chat(.pacing(pacing, uploadsNotBefore: Self.written + .seconds(90)))
            )
        case .asking:
            let pacing = Pacing(
                asked: [Self.written - .seconds(2), Self.written - .seconds(1)],
                notBefore: Self.written + .seconds(30), written: Self.written)
            (key, record) = (.assistant(.pacing("{user}")), .assistant(.pacing(pacing)))
        case .draft:
            (key, record) = (
                .chat(.draft("{user}", "{conversation}")), .chat(.draft("Hi \"Bob\"\n", id: "d-2"))
            )
        case .outbox:
            let entry = OutboxEntry(
                key: "c-1", text: "Hi", written: Self.written - .seconds(10), wasSent: true, draft: "d-1")
            (key, record) = (.chat(.outbox("{user}", "{conversation}")), .chat(.outbox([entry])))
        case .attachment:
            (key, record) = (
                .chat(.attachment("{user}", "{attachment}")),
                .chat(.attachment(AttachmentData(bytes: [1, 2, 3], isInline: false)))
            )
        case .contents:
            (key, record) = (
                .chat(.contents("{user}", "{conversation}")),
                .chat(.contents(Contents(oldestPage: 2, newestPage: 7, hidden: ["m-0"])))
            )
        case .page:
            let failure = SendFailure.unanswered(ReplyEnding(.reported("busy"), needsNewKey: true))
            let question = Message(
                id: "m-1",
                author: .here(
                    Message.Written(
                        client: "c-1", key: "c-2", status: .failed(failure),
                        former: [Message.Former(key: "c-1", echo: "m-0")])),
                body: .text(LongText("Hi")), time: Self.written - .seconds(10), isPlaced: true)
            let reply = Message(
                id: "m-2", author: .assistant(to: "c-1"),
                body: .interrupted(LongText("Hel"), ReplyEnding(.endedEarly, needsNewKey: true)),
                time: Self.written - .seconds(9), sender: "Opta", flags: ["memory_moment"])
            (key, record) = (
                .chat(.page("{user}", "{conversation}", 7)),
                .chat(.page(Page(messages: [question, reply], cursor: "m-2")))
            )
        }
    }
}

/// What is stored of a record; empty for a secret.
func recordBytes(_ record: ChatApp.Record, _ written: WallTime = RecordExample.written) -> [UInt8] {
    guard case .bytes(let bytes) = record.content(written: written) else { return [] }
    return bytes
}

extension JSONRandom {
    mutating func flip() -> Bool { below(2) == 0 }

    mutating func maybe<Value>(_ value: (inout JSONRandom) -> Value) -> Value? {
        flip() ? value(&self) : nil
    }

    mutating func list<Value>(_ element: (inout JSONRandom) -> Value) -> [Value] {
        (0..<below(4)).map { _ in element(&self) }
    }

    /// Whole milliseconds, as far as wall time reaches, mostly of this century.
    mutating func time() -> WallTime {
        switch below(8) {
        case 0: WallTime(millisecondsSince1970: Int64.max / 1_000_000)
        case 1: WallTime(millisecondsSince1970: -(Int64.max / 1_000_000))
        default: WallTime(millisecondsSince1970: Int64(next() % 4_000_000_000_000))
        }
    }

    mutating func identifier<Kind>() -> Identifier<Kind> { Identifier(text()) }

    /// A page number from all of the range.
    mutating func page() -> Int64 { flip() ? Int64(below(300)) : Int64(next() % (1 << 53)) }

    mutating func pacing() -> Pacing {
        Pacing(
            asked: list { $0.time() }, notBefore: maybe { $0.time() }, written: maybe { $0.time() })
    }

    mutating func message() -> Message {
        let text = LongText(flip() ? self.text().string : String(repeating: self.text().string, count: 90))
        return Message(
            id: maybe { $0.identifier() }, author: author(),
            body: flip() ? .text(text) : .interrupted(text, ReplyEnding(reason(), needsNewKey: flip())),
            time: time(), isPlaced: flip(), isHidden: flip(), attachments: list { $0.attachment() },
            sender: maybe { $0.text() }, flags: list { $0.text() })
    }

    mutating func author() -> Message.Author {
        switch below(4) {
        case 0: .elsewhere(maybe { $0.identifier() }, isUnanswered: flip())
        case 1: .assistant(to: maybe { $0.identifier() }, isNamed: flip())
        case 2: .system
        default:
            .here(
                Message.Written(
                    client: identifier(), key: maybe { $0.identifier() }, status: status(),
                    former: list { random in
                        Message.Former(key: random.identifier(), echo: random.maybe { $0.identifier() })
                    }, isReplyUnwanted: flip()))
        }
    }

    mutating func status() -> Chat.SendStatus {
        let statuses: [Chat.SendStatus] = [
            .queued, .sending, .slow, .accepted, .delivered, .failed(.rejected(text())),
            .failed(.uploadFailed(text())), .failed(.filesNotTaken), .failed(.fileMissing),
            .failed(.unanswered(ReplyEnding(reason(), needsNewKey: flip()))),
        ]
        return statuses[below(10)]
    }

    mutating func reason() -> Streaming.Reason {
        let failures: [CallFailure] = [
            .offline, .unreachable, .lost, .timedOut, .insecure, .tooLarge, .malformed, .secretMissing,
        ]
        let reasons: [Streaming.Reason] = [
            .stopped, .left, .signInFirst, .signInAgain, .broken(failures[below(8)]), .endedEarly, .timedOut,
            .gap, .reported(text()), .refused(status: Int64(below(600)), until: maybe { $0.time() }),
            .tooLong, .empty, .noReply,
        ]
        return reasons[below(13)]
    }

    mutating func attachment() -> Chat.Attachment {
        let kinds: [Chat.Attachment.Kind] = [.image, .document, .asset]
        let sources: [Chat.Attachment.Source] = [.inline, .file(.waiting), .asset(identifier())]
        return Chat.Attachment(
            id: identifier(), owner: identifier(), kind: kinds[below(3)], mimeType: text(), name: text(),
            // A server may tell any size.
            byteCount: Int64(next() >> UInt64(1 + below(40))), source: sources[below(3)],
            uploads: Int64(below(3)))
    }

    mutating func record(_ kind: RecordKind) -> ChatApp.Record {
        switch kind {
        case .device: .pairing(.device(identifier()))
        case .credentials:
            .pairing(
                .credentials(
                    Credentials(user: identifier(), isAdmin: flip(), secret: SecretHandle(text()))))
        case .secret: .pairing(.secret(Secret(ExactText(Secret.placeholder))))
        case .request:
            .pairing(
                .request(
                    PendingRequest(
                        name: text(), submitted: time(), pacing: pacing(),
                        secrets: list { SecretHandle($0.text()) },
                        left: list { SecretHandle($0.text()) }, erased: list { $0.identifier() })))
        case .conversations:
            .chat(
                .conversations(
                    list { random in
                        ConversationEntry(
                            id: random.identifier(), title: random.text(), isClosed: random.flip())
                    }, current: identifier()))
        case .pacing:
            .chat(.pacing(pacing(), uploadsNotBefore: maybe { $0.time() }))
        case .asking:
            .assistant(.pacing(pacing()))
        case .draft:
            .chat(.draft(text(), attachments: list { $0.attachment() }, id: maybe { $0.identifier() }))
        case .attachment:
            .chat(.attachment(AttachmentData(bytes: [UInt8](text().utf8), isInline: false)))
        case .outbox:
            .chat(
                .outbox(
                    list { random in
                        OutboxEntry(
                            key: random.identifier(), client: random.maybe { $0.identifier() },
                            text: random.text(),
                            written: random.time(),
                            wasSent: random.flip(),
                            attachments: random.list { $0.attachment() },
                            draft: random.maybe { $0.identifier() })
                    }))
        case .contents:
            .chat(
                .contents(
                    Contents(oldestPage: page(), newestPage: page(), hidden: list { $0.identifier() })))
        case .page:
            .chat(.page(Page(messages: list { $0.message() }, cursor: maybe { $0.identifier() })))
        }
    }
}
