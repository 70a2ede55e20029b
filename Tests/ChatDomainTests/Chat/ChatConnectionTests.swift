@testable import ChatDomain
import Testing

@Suite("Chat: the connection")
struct ChatConnectionTests {
    private typealias Device = Driver<Chat>

    @Test("C1: each step of connecting has its limit, to the nanosecond")
    func limits() {
        func expectLimit(_ limit: Interval, _ driver: Device) {
            var driver = driver
            driver.advance(by: limit - Interval(nanoseconds: 1))
            #expect(!driver.isReconnecting)
            driver.advance(by: Interval(nanoseconds: 1))
            #expect(driver.isReconnecting && driver.calls.isEmpty)
        }
        var driver = Device.connecting()
        expectLimit(.seconds(10), driver)
        driver.hear(.opened)
        expectLimit(.seconds(12), driver)
        driver.hear(.authenticated(replayCount: 3, isTruncated: false, isReset: false))
        expectLimit(.seconds(30), driver)
    }

    @Test(
        "C1: a replay may take a quarter of a second a message, from 30 s to 300 s",
        arguments: [
            (1, 30), (120, 30), (400, 100), (500, 125), (100_000, 300),
        ])
    func replayLimit(count: Int64, seconds: Int64) {
        var driver = Device.connecting()
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: count, isTruncated: false, isReset: false))
        #expect(driver.remaining(.replay) == .seconds(seconds))
        driver.advance(by: .seconds(29))
        driver.hear(.message(Device.reply("s1", "a")))
        if count > 1 { #expect(driver.remaining(.replayProgress) == .seconds(30)) }
    }

    @Test(
        "C1–C3: delays double from 1 s to 30 s with up to 1 s on top, say their end, and are 20 at most",
        arguments: [
            .failed(.lost), .refused(status: 503, retryAfter: .seconds(1), message: ""),
        ] as [CallEnd])
    func backoff(end: CallEnd) {
        var driver = Device.connecting()
        for attempt in 0..<20 {
            driver.lose(end)
            let delay = driver.remaining(.reconnect) ?? .zero
            let base = Interval.seconds(min(1 << Int64(attempt), 30))
            #expect(delay >= base && delay <= base + .seconds(1))
            let until = driver.context.wall + delay
            let attempts = Int64(attempt) + 1
            #expect(driver.state.connection == .reconnecting(.backoff(attempts: attempts, until: until)))
            driver.advance(by: delay)
        }
        driver.lose(end)
        #expect(driver.failure == .exhausted(end))
        #expect(driver.timers.isEmpty)
        driver.advance(by: .seconds(1))
        driver.send(.reconnectRequested)
        #expect(driver.calls.count == 1)
    }

    @Test("C2: in any order of failures there are at most 4 authentications in any 60 s", arguments: 0..<20)
    func authentications(seed: UInt64) {
        var dice = Entropy.seeded(seed)
        var driver = Device.connecting(seed: seed)
        // When the attempts began whose sockets were opened.
        var authentications: [Instant] = []
        for _ in 0..<150 {
            switch dice.below(6) {
            case 0: if driver.socket != nil { driver.lose() }
            case 1: driver.send(.reconnectRequested)
            case 2: driver.send(.networkChanged(isUp: dice.below(2) == 0))
            case 3: driver.send(dice.below(2) == 0 ? .left : .shown)
            case 4:
                if let rest = driver.remaining(.connecting) {
                    authentications.append(driver.context.now - (Interval.seconds(10) - rest))
                }
                if driver.socket != nil { driver.finishConnecting() }
            default: driver.advance(by: .milliseconds(Int64(dice.below(4_000))))
            }
        }
        for (first, fifth) in zip(authentications, authentications.dropFirst(4)) {
            #expect(fifth - first >= .seconds(60))
        }
    }

    @Test("C2: a socket that never opened is no authentication: a tap, a return or the network tries at once")
    func neverOpened() {
        for end in [nil, .failed(.lost), .refused(status: 503, retryAfter: nil, message: "")] as [CallEnd?] {
            var driver = Device.connecting()
            for _ in 0..<6 {
                if let end { driver.lose(end) } else { driver.advance(by: .seconds(10)) }
                #expect(driver.calls.isEmpty && driver.isRunning(.reconnect))
                driver.send(.reconnectRequested)
                driver.send(.reconnectRequested)
                #expect(driver.calls.count == 1)
            }
            driver.lose()
            driver.send(.networkChanged(isUp: false))
            driver.send(.networkChanged(isUp: true))
            #expect(driver.calls.count == 1)
            // One that was opened does count, however it ends.
            for attempt in 2...5 {
                driver.hear(.opened)
                driver.lose()
                driver.send(.reconnectRequested)
                #expect(driver.calls.count == (attempt < 5 ? 1 : 0))
            }
        }
    }

    @Test("C2: the backoff is forgotten after 5 s of connection or a replay, not on mere open")
    func reset() {
        var driver = Device.connecting()
        driver.lose()
        driver.reconnect()
        driver.advance(by: .milliseconds(4_999))
        #expect(driver.connectionAttempts == 1)
        driver.advance(by: .milliseconds(1))
        #expect(driver.connectionAttempts == 0)

        driver.lose()
        driver.reconnect(replaying: [Device.reply("s1", "a")])
        #expect(driver.connectionAttempts == 0)
    }

    @Test("C2: offline counts no attempt, and network-up tries at once, from failed too")
    func network() {
        var driver = Device.connecting()
        driver.send(.networkChanged(isUp: false))
        driver.lose()
        #expect(driver.state.connection == .reconnecting(.offline))
        driver.advance(by: .seconds(1_000))
        #expect(driver.calls.isEmpty && driver.connectionAttempts == 0)
        driver.send(.networkChanged(isUp: true))
        #expect(driver.calls.count == 1)

        var failed = Device.connecting { $0.backoff.limit = 0 }
        failed.lose()
        failed.send(.networkChanged(isUp: true))
        #expect(failed.calls.count == 1)
        failed.lose(.refused(status: 503, retryAfter: nil, message: ""))
        failed.send(.networkChanged(isUp: true))
        #expect(failed.calls.isEmpty)
    }

    @Test("C2: a device that knows that it has no network waits for it alone, without a timer")
    func knownOffline() {
        var driver = Device.connecting()
        driver.send(.networkChanged(isUp: false))
        driver.lose(.failed(.offline))
        #expect(driver.state.connection == .reconnecting(.offline) && !driver.isRunning(.reconnect))
        driver.send(.networkChanged(isUp: true))
        #expect(driver.calls.count == 1)
    }

    @Test("C2: a connection that finds no network is tried again in 30 s where no loss of it is told")
    func unknownOffline() {
        var driver = Device.connecting()
        driver.lose(.failed(.offline))
        #expect(driver.state.connection == .reconnecting(.offline) && driver.calls.isEmpty)
        driver.advance(by: .seconds(30))
        #expect(driver.calls.count == 1)
    }

    @Test("C1: what a server says before it has accepted the credentials is not shown")
    func beforeAuthentication() {
        var driver = Device.connecting()
        driver.hear(.opened)
        driver.hear(.chunk("r1", index: 0, "early", isFinal: false))
        driver.hear(.began("r2", in: .main))
        driver.hear(.typing(isActive: true, at: nil))
        driver.hear(.oversizedMessage)
        driver.hear(.named("work", title: "Work"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.rows.isEmpty && !Chat.isTyping(driver.state))
        #expect(Chat.banner(driver.state, .neutral) == nil && driver.listed.count == 1)
    }

    @Test("C2: 60 s in the background forget the backoff, and a failure with it")
    func background() {
        var driver = Device.connecting { $0.backoff.limit = 0 }
        driver.lose()
        driver.send(.backgrounded)
        driver.advance(by: .milliseconds(59_999))
        driver.send(.foregrounded)
        #expect(driver.failure != nil)
        driver.send(.backgrounded)
        driver.advance(by: .seconds(60))
        driver.send(.foregrounded)
        #expect(driver.calls.count == 1)
    }

    @Test(
        "C3, C2: a return during or after a told wait is connected when the wait is over"
    )
    func backAfterWait() {
        for (away, isOver) in [(Int64(60), true), (500, true), (60, false)] {
            var driver = Device.connected()
            driver.lose(.refused(status: 503, retryAfter: .seconds(isOver ? 60 : 100), message: ""))
            driver.send(.backgrounded)
            driver.advance(by: .seconds(away))
            driver.send(.foregrounded)
            driver.save()
            #expect(driver.calls.count == (isOver ? 1 : 0))
            #expect(isOver || driver.failure == .toldToWait(until: driver.context.wall + .seconds(40)))
        }
    }

    @Test("C3: a session that was replaced stays so, in the background and back")
    func replaced() {
        var driver = Device.connected()
        driver.hear(.sessionReplaced)
        #expect(driver.failure == .sessionReplaced && driver.calls.isEmpty)
        driver.send(.backgrounded)
        driver.advance(by: .seconds(100))
        driver.send(.foregrounded)
        driver.send(.networkChanged(isUp: true))
        #expect(driver.failure == .sessionReplaced && driver.calls.isEmpty)
        driver.send(.reconnectRequested)
        #expect(driver.calls.count == 1)
    }

    @Test(
        "C3: refused credentials are not tried again",
        arguments: [
            CredentialsRefusal.authenticationFailed, .tokenRevoked, .tokenExpired, .deviceNotApproved,
        ])
    func refused(refusal: CredentialsRefusal) {
        var driver = Device.connected()
        driver.hear(.credentialsRefused(refusal))
        driver.send(.reconnectRequested)
        driver.send(.networkChanged(isUp: true))
        driver.advance(by: .seconds(1_000))
        #expect(driver.failure == .credentialsRefused(refusal) && driver.calls.isEmpty)
    }

    @Test("C3: a wait of 30 s is waited, whoever wants to connect meanwhile")
    func shortWait() {
        var driver = Device.connecting()
        driver.lose(.refused(status: 503, retryAfter: .seconds(30), message: ""))
        driver.send(.networkChanged(isUp: true))
        driver.send(.reconnectRequested)
        driver.send(.left)
        driver.send(.shown)
        driver.advance(by: .milliseconds(29_999))
        #expect(driver.calls.isEmpty)
        driver.advance(by: .milliseconds(1_001))
        #expect(driver.calls.count == 1)
    }

    @Test("C3: a longer wait is a failure with its time, and is not tried before, even if clocks are set")
    func longWait() {
        var driver = Device.connecting()
        let until = driver.context.wall + .seconds(31)
        driver.lose(.refused(status: 429, retryAfter: .seconds(31), message: ""))
        #expect(driver.failure == .toldToWait(until: until))
        driver.send(.reconnectRequested)
        driver.advance(by: .milliseconds(30_999))
        driver.context.moment.wall = WallTime(millisecondsSince1970: 0)
        driver.send(.reconnectRequested)
        #expect(driver.calls.isEmpty)
        driver.advance(by: .milliseconds(1))
        driver.send(.reconnectRequested)
        #expect(driver.calls.count == 1)
    }

    @Test("C4: any number of reasons to connect make one attempt")
    func oneAttempt() {
        var driver = Device.connecting()
        let call = driver.calls.last?.call
        for action: Chat.Action in [
            .shown, .foregrounded, .networkChanged(isUp: true), .reconnectRequested, .shown,
        ] {
            #expect(driver.send(action).isEmpty)
        }
        #expect(driver.calls.map { $0.call } == [call])
    }

    @Test("C4: 2 s in the background close the socket, less does nothing to it")
    func grace() {
        var driver = Device.connected()
        driver.send(.backgrounded)
        driver.advance(by: .milliseconds(1_999))
        driver.send(.foregrounded)
        driver.advance(by: .seconds(10))
        #expect(driver.isConnected)
        driver.send(.backgrounded)
        driver.advance(by: .seconds(2))
        #expect(driver.state.connection == .disconnected && driver.calls.isEmpty)
        driver.send(.foregrounded)
        #expect(driver.calls.count == 1)
    }

    @Test("C4: a socket from before a suspension within the 2 s is not that of the return")
    func suspendedInGrace() {
        var driver = Device.connected()
        let old = driver.socket
        driver.send(.backgrounded)
        // Only the clock of the wall goes on in a process that is suspended.
        driver.context.moment.wall = driver.context.moment.wall + .seconds(2)
        driver.send(.foregrounded)
        #expect(driver.calls.count == 1 && driver.socket != old && driver.socket != nil)
    }

    @Test(
        "C4, C14: a suspension within the 2 s ends uploads, and the return starts them anew",
        arguments: [.seconds(2), .minutes(10)] as [Interval])
    func uploadsInGrace(absence: Interval) {
        var driver = Device.uploading()
        driver.send(.backgrounded)
        driver.context.moment.wall = driver.context.moment.wall + absence
        driver.send(.foregrounded)
        #expect(driver.uploads.isEmpty && driver.statuses == [.queued])
        driver.finishConnecting()
        #expect(driver.uploads.count == 2)
    }

    @Test("C4, C14: the background ends uploads also while the server lets the connection wait")
    func uploadsInBackground() {
        var driver = Device.uploading()
        driver.lose(.refused(status: 429, retryAfter: .minutes(10), message: ""))
        #expect(driver.uploads.count == 2)
        driver.send(.backgrounded)
        driver.advance(by: .seconds(2))
        #expect(driver.uploads.isEmpty && driver.statuses == [.queued])
        #expect(driver.state.connection.isFailed)
    }

    @Test("C4, C14: the background ends uploads also if the connection fails within the 2 s")
    func uploadsAtFailureInGrace() {
        var driver = Device.uploading()
        driver.send(.backgrounded)
        driver.advance(by: .seconds(1))
        driver.lose(.refused(status: 429, retryAfter: .minutes(10), message: ""))
        driver.advance(by: .seconds(1))
        #expect(driver.uploads.isEmpty && driver.statuses == [.queued])
        #expect(driver.state.connection.isFailed)
    }

    @Test("C4: leaving during the backoff ends it")
    func leaveInBackoff() {
        var driver = Device.connecting()
        driver.lose()
        driver.send(.left)
        driver.advance(by: .seconds(100))
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        #expect(driver.send(.timerFired(.reconnect)).isEmpty)
    }

    @Test("C5: the cursor is the last finished message of the server, and never goes back")
    func cursor() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        driver.hear(.message(Device.reply("s2", "two", at: 2)))
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        driver.hear(.message(Device.reply("s3", "th", at: 3, isGrowing: true)))
        driver.hear(.message(Device.echo("m4", "elsewhere", at: 4, from: "device-2")))
        driver.lose()
        driver.advance(by: .seconds(2))
        #expect(driver.askedCursor == "s2")
        driver.finishConnecting(replaying: [
            Device.reply("s3", "three", at: 3), Device.echo("m4", "elsewhere", at: 4, from: "device-2"),
        ])
        #expect(driver.texts == ["one", "two", "three", "elsewhere"])
        #expect(driver.state.conversation.cursor == "m4")
    }

    @Test("C5, S12: a replayed message that cannot be read does not keep the replay from ending")
    func unreadableReplay() {
        var driver = Device.connecting()
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: false))
        driver.hear(.unreadableMessage)
        #expect(driver.state.connection.link != nil && driver.remaining(.replay) != nil)
        driver.hear(.message(Device.reply("s1", "one")))
        #expect(driver.remaining(.replay) == nil && driver.texts == ["one"])
    }

    @Test("C5: a refused cursor is tried again once, without")
    func refusedCursor() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "one")))
        driver.lose()
        driver.advance(by: .seconds(2))
        driver.hear(.cursorRefused)
        #expect(driver.calls.count == 1 && driver.askedCursor == nil)
        driver.hear(.cursorRefused)
        #expect(driver.isReconnecting)
    }

    @Test("C5: a reset drops what was confirmed, and no unsent message and no draft")
    func historyReset() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s1", "old")))
        driver.say("first")
        driver.serve(from: &disk)
        driver.say("second")
        driver.send(.draftEdited("draft"))
        driver.lose()
        driver.advance(by: .seconds(2))
        driver.hear(.authenticated(replayCount: 1, isTruncated: false, isReset: true))
        driver.hear(.message(Device.reply("s9", "new", at: 9)))
        #expect(driver.texts == ["first", "new", "second"] || driver.texts == ["new", "first", "second"])
        #expect(driver.draft == "draft")
        driver.serve(from: &disk)

        let again = Device.restored(&disk)
        #expect(!again.texts.contains("old"))
        #expect(again.draft == "draft")
    }

    @Test("C5: history that was withdrawn does not come back from storage")
    func withdrawnPages() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(Device.reply("s1", "old")))
        driver.serve(from: &disk)
        driver.lose()
        driver.advance(by: .seconds(2))
        driver.hear(.authenticated(replayCount: 0, isTruncated: false, isReset: true))
        driver.serve(from: &disk)
        var again = Device.restored(&disk)
        #expect(again.texts.isEmpty && again.state.conversation.cursor == nil)
        again.send(.olderRequested)
        again.serve(from: &disk)
        #expect(again.texts.isEmpty)
    }

    @Test("L4: nothing of an attempt that is over changes anything")
    func ghosts() throws {
        var driver = Device.connected()
        let old = try #require(driver.calls.last?.call)
        driver.lose()
        driver.reconnect()
        let before = driver.state
        let events: [Chat.Event] = [
            .opened, .authenticated(replayCount: 1, isTruncated: true, isReset: true), .cursorRefused,
            .sessionReplaced, .credentialsRefused(.tokenRevoked), .failed("x"), .delta("s1", "x"),
            .message(Device.reply("s1", "x")),
        ]
        for event in events { #expect(driver.send(.received(event, on: old)).isEmpty) }
        #expect(driver.send(.ended(old, .completed)).isEmpty)
        for timer: Chat.Timer in [
            .connecting, .authenticating, .replay, .replayProgress, .reconnect, .slow(.main),
            .acknowledgement(.main), .background, .batch("s1"), .silence("s1"),
            .replyLimit(.written("c"), in: .main),
            .outboxLimit(.main), .listLimit, .deferral(.main),
        ] {
            #expect(driver.send(.timerFired(timer)).isEmpty)
        }
        for key in [Device.outboxKey, Device.contentsKey, Device.pageKey(0)] {
            #expect(driver.send(.stored(.saved, under: key, Attempt(number: 1))).isEmpty)
        }
        #expect(driver.state == before)
    }

    @Test("C3: a told wait of exactly 30 s is waited, and one of a millisecond more is shown")
    func longestToldWait() {
        for extra in [Interval.zero, .milliseconds(1)] {
            var driver = Device.connected()
            driver.lose(.refused(status: 503, retryAfter: .seconds(30) + extra, message: ""))
            #expect(driver.isReconnecting == (extra == .zero) && (driver.failure == nil) == (extra == .zero))
            driver.advance(by: .seconds(30))
            #expect((driver.socket != nil) == (extra == .zero))
        }
    }

    @Test("R2, C2: who signs in again without a network is told so, and nothing is opened")
    func offlineSignIn() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.send(.networkChanged(isUp: false))
        driver.send(.signedOut)
        driver.serve(from: &disk)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.serve(from: &disk)
        #expect(driver.calls.isEmpty && driver.state.connection == .reconnecting(.offline))
    }

    @Test("C2: after the attempts are used up, the network's return gives all of them anew")
    func networkAfterExhaustion() {
        var driver = Device.connecting { $0.backoff.limit = 2 }
        while driver.failure == nil {
            if driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
            driver.lose()
        }
        driver.send(.networkChanged(isUp: false))
        driver.send(.networkChanged(isUp: true))
        driver.lose()
        #expect(driver.isReconnecting && driver.failure == nil)
    }

    @Test("C2, C4: an absence counts from the first report of the background")
    func absence() {
        var driver = Device.connecting { $0.backoff.limit = 0 }
        driver.lose()
        #expect(driver.failure == .exhausted(.failed(.lost)))
        for pause in [Interval.seconds(40), .seconds(25)] {
            driver.send(.backgrounded)
            driver.advance(by: pause)
        }
        driver.send(.foregrounded)
        #expect(driver.failure == nil && driver.socket != nil)
    }

    @Test("C4, P10: who signs in while the app is in the background is connected when it comes back")
    func signedInBehind() {
        var driver = Device.connected()
        driver.send(.backgrounded)
        driver.send(.signedOut)
        driver.send(.signedIn(Device.account))
        driver.save()
        #expect(driver.calls.isEmpty)
        driver.send(.foregrounded)
        #expect(driver.calls.count == 1)
    }

    @Test("C2: 60 s in the background forget the attempts before them, less does not")
    func attemptsForgotten() {
        for (away, attempts) in [(Int64(59), Int64(2)), (60, 1)] {
            var driver = Device.connecting()
            driver.lose()
            driver.send(.backgrounded)
            driver.advance(by: .seconds(away))
            driver.send(.foregrounded)
            driver.lose()
            guard case .reconnecting(.backoff(attempts, _)) = driver.state.connection else {
                Issue.record("after \(away) s: \(driver.state.connection)")
                continue
            }
        }
    }

    @Test("C2, C4: an attempt that falls due during a short absence is made on the return")
    func dueBehind() {
        var driver = Device.connected { $0.backoff.jitter = .zero }
        driver.lose()
        driver.send(.backgrounded)
        driver.advance(by: .seconds(1))
        #expect(driver.socket == nil)
        driver.send(.foregrounded)
        #expect(driver.socket != nil)
    }

    @Test("C2, L3: a wait for the rate limit that is as long as the delay before it is waited, too")
    func equalWaits() {
        var driver = Device.connecting {
            $0.backoff = Backoff.Configuration(first: .seconds(10), greatest: .seconds(10), jitter: .zero)
            $0.authentications = Throttle.Configuration(limit: 1, window: .seconds(20))
        }
        driver.hear(.opened)
        driver.lose()
        driver.advance(by: .seconds(10))
        #expect(driver.socket == nil && driver.remaining(.reconnect) == .seconds(10))
        driver.advance(by: .seconds(10))
        #expect(driver.socket != nil)
    }

    @Test("C5: a replay from which the server has dropped older messages says so")
    func truncatedReplay() {
        for isTruncated in [false, true] {
            var driver = Device.connecting()
            driver.hear(.opened)
            driver.hear(.authenticated(replayCount: 0, isTruncated: isTruncated, isReset: false))
            #expect(driver.state.conversation.banner == (isTruncated ? .replayTruncated : nil))
        }
    }
}
