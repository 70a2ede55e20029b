// A server that says anything at any time, with extreme numbers and few ids, to a person who taps everything.
// Nothing traps, every spinner has a timer, no two rows have one name, and the rows that a front end keeps are
// those that are made anew.

import TestVolume
import Testing

@testable import ChatDomain

@Suite("Chat: a hostile server")
struct ChatHostileServerTests {
    @Test(
        "L1, L3, L6, R3: after any events and any taps the screen is clear",
        arguments: 0..<thoroughly(3, otherwise: 1))
    func anything(seed: UInt64) {
        var session = HostileSession(seed: seed)
        for step in 0..<2_000 {
            session.step()
            if let complaint = session.complaint {
                Issue.record("seed \(seed), step \(step): \(complaint)")
                return
            }
        }
    }
}

private struct HostileSession {
    private let seed: UInt64
    private var dice: Entropy
    private var disk = Disk<Chat>()
    private var driver: Driver<Chat>
    private var kept = Chat.Rows()
    private var launches: UInt64 = 0

    private static let numbers: [Int64] = [.min, -1, 0, 1, 2, 5, .max - 1, .max]
    private static let ids: [MessageID] = ["a", "b", "c", "", "d"]
    private static let texts: [ExactText] = ["", "x", "y", "xy"]
    private static let file = IncomingFile(kind: .image, mimeType: "image/png", byteCount: 3, asset: "a_1")

    init(seed: UInt64) {
        self.seed = seed
        dice = Entropy.seeded(seed)
        driver = .restored(&disk, seed: seed) { $0.pageLength = 2 }
        driver.send(.shown)
    }

    mutating func step() {
        switch dice.next() % 20 {
        // Without a socket nothing comes, and nothing breaks.
        case 0..<11:
            let event = event()
            if driver.socket != nil { driver.hear(event) }
        case 11:
            let end = end()
            if driver.socket != nil { driver.lose(end) }
        case 12, 13: driver.say(pick(["x", "y", "z"]))
        case 14: upload()
        case 15, 16: tap()
        case 17: driver.advance(by: pick([.seconds(1), .seconds(40), .seconds(121), .milliseconds(80)]))
        default:
            driver.serve(from: &disk)
            if dice.next() % 30 == 0 { relaunch() }
        }
        kept.update(driver.state, newest: 20, .neutral)
    }

    private mutating func relaunch() {
        launches += 1
        driver = .restored(&disk, seed: seed + 100 * launches) { $0.pageLength = 2 }
        driver.send(.shown)
        kept = Chat.Rows()
    }

    // MARK: What is drawn

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int(dice.next() % UInt64(values.count))]
    }

    private mutating func time() -> WallTime {
        pick([WallTime(nanosecondsSince1970: pick(Self.numbers)), Driver<Chat>.epoch])
    }

    private mutating func event() -> Chat.Event {
        let key = pick(["nobody"] + driver.saidIDs.suffix(5))
        let (id, text, number) = (pick(Self.ids), pick(Self.texts), pick(Self.numbers))
        let isTrue = pick([true, false])
        switch dice.next() % 21 {
        case 0: return .opened
        case 1: return .authenticated(replayCount: number, isTruncated: isTrue, isReset: pick([true, false]))
        case 2: return .chunk(id, index: number, text, isFinal: isTrue)
        case 3: return .delta(id, text)
        case 4: return .acknowledged(key)
        case 5: return .rejected(key, reason: "r")
        case 6: return .deferred(key)
        case 7: return .replyFailed(.reply(id), reason: "r")
        case 8: return .replyFailed(.question(key), reason: "r")
        case 9: return .assetMissing(key, pick([nil, "a_1"]), reason: "r")
        case 10: return .typing(isActive: isTrue, at: pick([nil, time()]))
        case 11: return pick([.gap, .refetched, .alive, .unreadableMessage, .cursorRefused])
        case 12: return .began(id, in: pick([.main, "v"]))
        default:
            return .message(
                IncomingMessage(
                    id: id, conversation: pick([.main, .main, "v"]), client: pick([nil, nil, key]),
                    role: pick([.user, .assistant, .assistant, .system]), text: text, time: time(),
                    device: pick([nil, "device-1", "other"]), isGrowing: isTrue,
                    files: pick([[], [Self.file]])))
        }
    }

    private mutating func end() -> CallEnd {
        let wait = Interval(nanoseconds: pick(Self.numbers))
        return pick([
            .failed(.lost), .failed(.offline), .failed(.recordMissing),
            .refused(status: 429, retryAfter: wait, message: ""),
        ])
    }

    private mutating func upload() {
        guard let upload = driver.uploads.first else {
            return _ = driver.send(
                .attachmentPicked(
                    PickedFile(
                        kind: .document, mimeType: pick(["image/png", "text/plain"]), name: "n", bytes: [1])))
        }
        let progress = Chat.Event.uploadProgress(sent: pick(Self.numbers), of: pick(Self.numbers))
        driver.send(.received(progress, on: upload))
        guard pick([true, false]) else { return _ = driver.end(upload, end()) }
        driver.send(.received(.uploaded("a_1"), on: upload))
        driver.end(upload, .completed)
    }

    private mutating func tap() {
        let row = pick(driver.rows.suffix(5).map { $0.id } + [.received(pick(Self.ids))])
        let key = pick(["nobody"] + driver.saidIDs.suffix(5))
        driver.send(
            pick([
                .retried(row), .retried(row), .deleted(row), .replyStopped(row), .waitingStopped,
                .messageEdited(key, "e"), .olderRequested, .bannerDismissed, .reconnectRequested, .left,
                .shown,
                .conversationSwitched(to: "v"), .conversationSwitched(to: .main),
            ]))
    }

    // MARK: What must hold

    var complaint: String? {
        if let stuck = driver.stuckSpinner { return "nothing ends \(stuck)" }
        for conversation in driver.state.conversations {
            for turn in conversation.pushed.turns.turns where turn.stage == .sent {
                guard case .written(let key) = turn.question, conversation.outbox.keyOut == key else {
                    return "a turn is in flight, and no message"
                }
            }
        }
        if Array(kept) != Chat.rows(driver.state, newest: 20, .neutral) { return "a kept row is old" }
        let names = driver.rows.map { $0.id }
        return Set(names).count == names.count ? nil : "two rows have one name"
    }
}
