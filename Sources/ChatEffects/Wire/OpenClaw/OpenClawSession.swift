// The state of a connection to an OpenClaw gateway: requests that wait for their answers, replies that grow, and
// devices that ask to come in. Each list is bounded (L8), and drops its oldest entry; that of the devices takes no more,
// as the rows of an admin do. Start at `take`.

import ChatDomain

/// The state of an authenticated connection.
public struct OpenClawSession: DomainValue {
    private var requests = OpenClawRequests()
    private var pending: [Pending] = []
    private var runs: [OpenClawRun] = []
    private var devices: [Asking] = []
    private var names = OpenClawSessionNames()
    private var numbers = OpenClawNumbers()
    /// The latest time that the gateway has sent: a codec has no clock, and not every reply has a time.
    private var time: WallTime
    /// The number of missing histories of a refetch.
    private var missingHistories: Int64 = 0

    /// Creates a session with the gateway's own time, if it is known.
    init(_ time: WallTime?) {
        self.time = time ?? WallTime(millisecondsSince1970: 0)
    }

    /// A request without an answer.
    private struct Pending: DomainValue {
        enum Subject: DomainValue {
            case message(ClientID, ConversationID)
            case stop
            case devices
            case decision(DeviceID)
            /// A history: for a refetch, or to complete this reply.
            case history(OpenClawRun?, ConversationID)
        }

        let id: ExactText
        let subject: Subject
    }

    /// A device that asks to come in, and the name of its request.
    private struct Asking: DomainValue {
        let device: DeviceID
        let request: Identifier<Asking>
    }

    /// The most entries of each list: as many as the requests that an admin sees.
    private static let limit = 100
    /// The maximum number of replies that grow at once (limits).
    private static let runLimit = 16
    /// The most text of a reply that is kept, in UTF-8 bytes (C21).
    private static let textLimit: Int64 = 1_048_576
    /// The number of requested messages of a history: the last ones.
    private static let historyLimit: Int64 = 20

    // MARK: Sending

    /// Asks to connect. Returns the id of the answer.
    mutating func connect(
        _ secret: SecretHandle, _ device: DeviceID, scopes: [ExactText],
        _ reaction: inout Reaction<Chat.Event>
    ) -> ExactText {
        let (id, payload) = requests.connect(secret, client: device.text, info: nil, scopes: scopes)
        reaction.frames.append(payload)
        return id
    }

    mutating func send(_ frame: Chat.Frame, _ reaction: inout Reaction<Chat.Event>) {
        switch frame {
        case .say(let client, let conversation, let text, let files):
            guard files.isEmpty else {
                return reaction.events.append(.rejected(client, reason: "No files can be sent here."))
            }
            ask("chat.send", .message(client, conversation), &reaction) { params in
                params.member("sessionKey", OpenClawSessionNames.key(of: conversation))
                params.member("message", text)
                params.member("idempotencyKey", client.text)
            }
        case .typing: break  // the gateway has no word for it
        case .refetch(let cursors):
            // A history completes a reply that grows, and tells nothing else.
            var conversations = [cursors.first?.conversation ?? .main]
            for run in runs where !conversations.contains(run.conversation) {
                conversations.append(run.conversation)
            }
            missingHistories = Int64(conversations.count)
            for conversation in conversations { fetch(nil, conversation, &reaction) }
        case .stop(let reply, let conversation):
            ask("chat.abort", .stop, &reaction) { params in
                params.member("sessionKey", OpenClawSessionNames.key(of: conversation))
                params.member("runId", Self.run(of: reply))
            }
        }
    }

    mutating func send(_ frame: Pairing.Frame, _ reaction: inout Reaction<Chat.Event>) {
        switch frame {
        case .decide(let device, let decision):
            guard let asking = devices.last(where: { $0.device == device }) else {
                // The answer brings the row back, and the name of its request.
                reaction.skipped += 1
                return listDevices(&reaction)
            }
            let isApproval = if case .approve = decision { true } else { false }
            ask(isApproval ? "device.pair.approve" : "device.pair.reject", .decision(device), &reaction) {
                $0.member("requestId", asking.request.text)
            }
        }
    }

    /// Asks for the devices that wait.
    mutating func listDevices(_ reaction: inout Reaction<Chat.Event>) {
        ask("device.pair.list", .devices, &reaction) { _ in }
    }

    private mutating func fetch(
        _ run: OpenClawRun?, _ conversation: ConversationID, _ reaction: inout Reaction<Chat.Event>
    ) {
        ask("chat.history", .history(run, conversation), &reaction) { params in
            params.member("sessionKey", OpenClawSessionNames.key(of: conversation))
            params.member("limit", Self.historyLimit)
        }
    }

    private mutating func ask(
        _ method: ExactText, _ subject: Pending.Subject, _ reaction: inout Reaction<Chat.Event>,
        _ params: (inout JSONObjectWriter) -> Void
    ) {
        let (id, payload) = requests.request(method, params)
        pending = pending.suffix(Self.limit - 1) + [Pending(id: id, subject: subject)]
        reaction.frames.append(payload)
    }

    // MARK: Receiving

    mutating func greeted(_ hello: JSONValue) { names.greeted(hello) }

    mutating func take(
        _ frame: OpenClawFrame, _ reaction: inout Reaction<Chat.Event>, _ pairing: inout [Pairing.Event]
    ) {
        switch frame {
        case .answer(let id, let result):
            guard let index = pending.firstIndex(where: { $0.id == id }) else { return reaction.skipped += 1 }
            answered(pending.remove(at: index).subject, result, &reaction, &pairing)
        case .event(let name, let place, let payload):
            switch numbers.take(place) {
            case .next: break
            case .gap: missed(&reaction)
            case .again where name == "tick": break  // a sign of life all the same
            case .again: return reaction.skipped += 1
            }
            if let told = payload["ts"]?.time { time = max(time, told) }
            switch name {
            case "chat": chat(payload, &reaction)
            case "tick": reaction.events.append(.alive)
            case "device.pair.requested": requested(payload, &reaction, &pairing)
            case "device.pair.resolved":
                guard let device = payload["deviceId"]?.string else { return reaction.skipped += 1 }
                devices.removeAll { $0.device.text == device }
                pairing.append(.resolved(DeviceID(device)))
            default: reaction.skipped += 1
            }
        }
    }

    /// Events are missing, and are fetched again, once for each gap (C5).
    private mutating func missed(_ reaction: inout Reaction<Chat.Event>) {
        reaction.events.append(.gap)
        for index in runs.indices where runs[index].sure == nil {
            runs[index].sure = runs[index].text?.byteCount ?? 0
        }
    }

    private mutating func answered(
        _ subject: Pending.Subject, _ result: Result<JSONValue, OpenClawError>,
        _ reaction: inout Reaction<Chat.Event>, _ pairing: inout [Pairing.Event]
    ) {
        switch (subject, result) {
        case (.message(let client, let conversation), .success(let answer)):
            // A command, such as “stop”, has the runs that it ends, and none of its own.
            if answer["runIds"] != nil { return reaction.events.append(.obeyed(client)) }
            reaction.events.append(.acknowledged(client))
            guard let id: MessageID = answer["runId"]?.string?.identifier() else { return }
            var run = takeRun(id)
            (run.question, run.conversation) = (client, conversation)
            // A message that is sent again may have the first result: its run is over, and no event of it comes; or
            // the gateway has queued it, and another run answers.
            if answer["status"]?.string == "ok" { return fetch(run, conversation, &reaction) }
            // One in flight was accepted before, perhaps on an earlier connection: its time is unknown.
            if answer["status"]?.string != "in_flight" { run.asked = run.asked ?? time }
            remember(run)
        case (.message(let client, _), .failure(let error)):
            reaction.events.append(
                error.isRetryable
                    ? .deferred(client, after: error.retryAfter ?? .zero)
                    : .rejected(client, reason: error.sentence))
        case (.devices, .success(let answer)):
            devices = []
            pairing.append(.rights(isAdmin: true))
            for device in answer["pending"]?.array ?? [] { requested(device, &reaction, &pairing) }
        case (.devices, .failure(let error)) where error.isRetryable: break
        case (.devices, .failure): pairing.append(.rights(isAdmin: false))
        case (.decision, .success), (.stop, _): break
        // Another admin was first, or the request is too old for the gateway (P9).
        case (.decision(let device), .failure(let error)) where error.sentence.mentions("unknown requestid"):
            pairing.append(.resolved(device))
        case (.decision(let device), .failure(let error)):
            pairing.append(.notDecided(device, reason: error.sentence))
        case (.history(let run, let conversation), _):
            complete(run, conversation, (try? result.get())?["messages"]?.array ?? [], &reaction)
        }
    }

    // MARK: Replies

    private mutating func chat(_ payload: JSONValue, _ reaction: inout Reaction<Chat.Event>) {
        guard let id: MessageID = payload["runId"]?.string?.identifier(),
            !OpenClawSessionNames.isOfMachine(payload),
            let conversation = names.conversation(of: payload["sessionKey"]?.string)
        else { return reaction.skipped += 1 }
        let message = payload["message"]
        if let told = message?["timestamp"]?.time { time = told }
        switch payload["state"]?.string {
        case "delta":
            let text = grown(id, conversation, message.flatMap(Self.text), payload)
            reaction.events.append(
                text.map { .message(reply(id, conversation, $0, isGrowing: true)) }
                    ?? .typing(isActive: true, at: nil, in: conversation))
        case "final":
            let run = takeRun(id)
            let whole = Self.words(message)
            let text = whole ?? run.text
            // A turn that yields, and one that a busy gateway queues, ends without words; another run answers.
            let isYielded = payload["yielded"]?.bool == true
            if text == nil, isYielded || runs.contains(where: { $0.conversation == conversation }) { return }
            // A reply without its last words is completed from the history.
            if whole == nil { fetch(run, conversation, &reaction) }
            if let text, !text.isEmpty {
                reaction.events.append(.message(reply(id, conversation, text, isGrowing: false)))
            }
        case "aborted", "error":
            var run = takeRun(id)
            let told = Self.words(message)
            run.text = told ?? run.text
            // A run has the name of its question, of this device or of another. Without a text no other reply is meant.
            let failed = run.unanswered ?? .question(ClientID(id.text))
            let kind = payload["errorKind"]?.string ?? payload["state"]?.string
            var sentence = payload["errorMessage"]?.sentence
            if payload["state"]?.string == "error" {
                sentence = sentence ?? told?.shown(limit: ClawlineAnswer.sentenceLimit)
            } else if let told {
                // An aborted reply has its whole text so far.
                reaction.events.append(.message(reply(id, conversation, told, isGrowing: true)))
            }
            reaction.events.append(
                .replyFailed(failed, reason: sentence ?? OpenClawError.sentence(kind)))
        case "status": reaction.events.append(.typing(isActive: true, at: nil, in: conversation))
        default: reaction.skipped += 1
        }
    }

    /// The whole text of a reply after a piece of it; nil while it has had none, as while the model thinks. The text so
    /// far counts if it is sent; otherwise the increment is appended, or replaces the text.
    private mutating func grown(
        _ id: MessageID, _ conversation: ConversationID, _ whole: ExactText?, _ payload: JSONValue
    ) -> ExactText? {
        var run = takeRun(id)
        run.conversation = conversation
        if let whole {
            run.replace(by: whole)
        } else if let piece = payload["deltaText"]?.string {
            if payload["replace"]?.bool == true { run.replace(by: "") }
            run.append(piece, limit: Self.textLimit)
        }
        remember(run)
        return run.text
    }

    /// Takes a reply out of the list, so that its text grows in place.
    private mutating func takeRun(_ id: MessageID) -> OpenClawRun {
        runs.firstIndex { $0.id == id }.map { runs.remove(at: $0) } ?? OpenClawRun(id: id)
    }

    private mutating func remember(_ run: OpenClawRun) {
        runs = runs.suffix(Self.runLimit - 1) + [run]
    }

    private func reply(
        _ id: MessageID, _ conversation: ConversationID, _ text: ExactText, isGrowing: Bool
    ) -> IncomingMessage {
        IncomingMessage(
            id: id, conversation: conversation, role: .assistant, text: text, time: time, isGrowing: isGrowing
        )
    }

    /// Completes the requested reply, or one that grows, with the answer to the newest question of a history. What a run
    /// says before it calls a tool is in the history too, and ends no reply. A requested reply has failed only if the
    /// history is known to have come to its question: before, another run is busy, and its end decides.
    private mutating func complete(
        _ requested: OpenClawRun?, _ conversation: ConversationID, _ messages: [JSONValue],
        _ reaction: inout Reaction<Chat.Event>
    ) {
        let newest = messages.last { ["assistant", "user"].contains($0["role"]?.string) }
        let isUnderWay = newest.map(Self.callsTool) ?? false
        let isAnswer =
            newest?["role"]?.string == "assistant" && !isUnderWay
            && (requested != nil || newest == messages.last)
        let (text, told) = (isAnswer ? newest.flatMap(Self.text) ?? "" : "", newest?["timestamp"]?.time)
        let known = requested.map { [$0] } ?? runs.filter { $0.conversation == conversation }
        // The reply whose text is known tells more than one whose beginning has not come.
        if !text.isEmpty,
            let run = known.filter({ $0.isCompleted(by: text, at: told) }).max(by: {
                $0.text?.byteCount ?? 0 < $1.text?.byteCount ?? 0
            })
        {
            if let told { time = told }
            if let index = runs.firstIndex(where: { $0.id == run.id }) {
                (runs[index].text, runs[index].sure) = (text, nil)
            }
            reaction.events.append(.message(reply(run.id, conversation, text, isGrowing: false)))
        } else if let run = requested, run.text?.isEmpty ?? true, let unanswered = run.unanswered,
            run.text != nil || !isUnderWay && run.asked != nil && run.isAsked(before: told)
        {
            reaction.events.append(.replyFailed(unanswered, reason: ""))
        }
        if requested == nil { historyCame(&reaction) }
    }

    private mutating func historyCame(_ reaction: inout Reaction<Chat.Event>) {
        missingHistories = max(missingHistories - 1, 0)
        if missingHistories == 0 { reaction.events.append(.refetched) }
    }

    // MARK: Devices

    private mutating func requested(
        _ payload: JSONValue, _ reaction: inout Reaction<Chat.Event>, _ pairing: inout [Pairing.Event]
    ) {
        guard let id: DeviceID = payload["deviceId"]?.string?.identifier(),
            let request: Identifier<Asking> = payload["requestId"]?.string?.identifier()
        else { return reaction.skipped += 1 }
        devices.removeAll { $0.device == id }
        if devices.count < Self.limit { devices.append(Asking(device: id, request: request)) }
        pairing.append(
            .requested(
                PairingRequest(
                    device: id, claimedName: payload["displayName"]?.name ?? "",
                    info: DeviceInfo(platform: payload["platform"]?.name ?? "", model: ""))))
    }
}
