// The state of a connection to an OpenClaw gateway: requests that wait for their answers, replies that grow, and
// devices that ask to come in. Each list is bounded (L8), and drops its oldest entry; that of the devices takes no more,
// as the rows of an admin do. Start at `take`.

import ChatDomain

/// The state of an authenticated connection.
public struct OpenClawSession: DomainValue {
    private var requests = OpenClawRequests()
    private var pending: [Pending] = []
    private var runs = OpenClawRuns()
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
            case history(MessageID?, ConversationID)
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
            for run in runs.list where run.isOpen && !conversations.contains(run.conversation) {
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
        _ run: MessageID?, _ conversation: ConversationID, _ reaction: inout Reaction<Chat.Event>
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
        runs.missed()
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
            let status = answer["status"]?.string
            // A message that is sent again may have the first result, or be in flight: it was accepted before, perhaps on
            // an earlier connection, and its time is unknown.
            let isFirst = status != "ok" && status != "in_flight"
            let run = runs.accepted(id, client, conversation, at: isFirst ? time : nil)
            // Its run is over, and no event of it comes; or the gateway has queued it, and another run answers.
            if status == "ok", runs.list[run].isOpen {
                runs.end(run)
                fetch(id, conversation, &reaction)
            }
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
            let run = runs.begin(id, in: conversation)
            runs.grow(run, to: message.flatMap(Self.text), payload, limit: Self.textLimit)
            reaction.events.append(
                runs.list[run].text == nil
                    ? .typing(isActive: true, at: nil, in: conversation)
                    : .message(reply(runs.list[run], isGrowing: true)))
        case "final":
            let whole = Self.words(message)
            let run = whole == nil ? runs.place(of: id, in: conversation) : runs.begin(id, in: conversation)
            if let whole { runs.replace(run, by: whole) }
            let ended = runs.list[run]
            let isWordless = ended.text == nil
            if isWordless, !ended.isOpen { return }
            runs.end(run)
            endTyping(of: ended, &reaction)
            // A turn that yields, and one that a busy gateway queues, ends without words; another run answers.
            let isYielded = payload["yielded"]?.bool == true
            if isWordless, isYielded || runs.isBusy(conversation) { return }
            // A reply without its last words is completed from the history.
            if whole == nil { fetch(id, conversation, &reaction) }
            if ended.text?.isEmpty == false {
                reaction.events.append(.message(reply(ended, isGrowing: false)))
            }
        case "aborted", "error":
            let told = Self.words(message)
            let isAborted = payload["state"]?.string == "aborted"
            var run = runs.place(of: id, in: conversation)
            var sentence = payload["errorMessage"]?.sentence
            if !isAborted {
                sentence = sentence ?? told?.shown(limit: ClawlineAnswer.sentenceLimit)
            } else if let told {
                // An aborted reply has its whole text so far.
                run = runs.begin(id, in: conversation)
                runs.replace(run, by: told)
                reaction.events.append(.message(reply(runs.list[run], isGrowing: true)))
            }
            let kind = payload["errorKind"]?.string ?? payload["state"]?.string
            let ended = runs.list[run]
            reaction.events.append(
                .replyFailed(ended.reference, reason: sentence ?? OpenClawError.sentence(kind)))
            runs.close(run)
            endTyping(of: ended, &reaction)
        case "status": reaction.events.append(.typing(isActive: true, at: nil, in: conversation))
        default: reaction.skipped += 1
        }
    }

    /// A reply names its question.
    private func reply(_ run: OpenClawRun, isGrowing: Bool) -> IncomingMessage {
        IncomingMessage(
            id: run.id, conversation: run.conversation, role: .assistant, text: run.text ?? "", time: time,
            isGrowing: isGrowing, question: run.key)
    }

    /// The end of a run that has only thought ends its typing, unless another one goes on.
    private func endTyping(of run: OpenClawRun, _ reaction: inout Reaction<Chat.Event>) {
        guard run.stage == .begun, run.text == nil, !runs.isBusy(run.conversation) else { return }
        reaction.events.append(.typing(isActive: false, at: nil, in: run.conversation))
    }

    /// Completes the requested reply, or those that grow, from a history. A requested reply has failed only if the
    /// history is known to have come to its question: before, another run is busy, and its end decides.
    private mutating func complete(
        _ requested: MessageID?, _ conversation: ConversationID, _ messages: [JSONValue],
        _ reaction: inout Reaction<Chat.Event>
    ) {
        let history = OpenClawHistory(messages, isEnded: requested != nil)
        let ends = runs.complete(requested, in: conversation, from: history)
        for (run, told) in ends.completed {
            if let told { time = told }
            reaction.events.append(.message(reply(run, isGrowing: false)))
        }
        if let failed = ends.failed { reaction.events.append(.replyFailed(failed.reference, reason: "")) }
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
