// Pairing, explored: a device that comes in and leaves again, in every order and at every instant that matters, and an
// admin who lets others in.

import ChatDomain
import ChatEffects

extension Pairing: Explorable {}

extension Explore where Codec == Uncoded<Pairing> {
    /// A device that comes in and leaves: launches, questions, cancels, silence, and a clock that only moves to
    /// deadlines. The disk answers at once.
    static var comingIn: Explore {
        comingIn(
            [
                .person(
                    .launched, .nameEdited("Kay"), .submitted, .cancelled, .retried, .signedOut,
                    .networkReturned),
                .calls { [answers = [.pending(code: "1"), Pairing.granted, .denied]] _ in answers },
                .ends(.failed(.lost)), .promptStorage(), .clock(.deadline),
            ],
            // Two questions a minute are enough to reach the limit.
            asking: Throttle.Configuration(limit: 2, window: .seconds(60))
        )
        .always(.bounded(calls: 1, operations: 0))
    }

    /// A device that comes in and leaves while its disk answers in any order, fails or is silent.
    static var onDisk: Explore {
        comingIn([
            .person(.nameEdited("Kay"), .submitted, .signedOut, .retried).atMost(3),
            .calls { [answers = [Pairing.granted]] _ in answers },
            .storage(.answered, .failed(.unavailable)), .clock(.deadline),
        ])
        .after(.person(.launched))
        .always(.bounded(calls: 1, operations: 16))
    }

    /// A process that ends while a device comes in or leaves, with any number of the started writes done.
    static var comingBack: Explore {
        comingIn([
            .person(.nameEdited("Kay"), .submitted), .person(.signedOut).atMost(1),
            .calls { [answers = [Pairing.granted]] _ in answers },
            .storage(.answered), .clock(.deadline),
            .relaunch({ Pairing.State(configuration: $0.configuration) }, then: .launched).atMost(1),
        ])
    }

    /// A device that waits, with each answer just before, at and just after each deadline, and delays at both extremes
    /// of their jitter.
    static var waiting: Explore {
        comingIn([
            .person(.cancelled, .submitted),
            .calls { [answers = [.pending(code: "1"), Pairing.granted]] _ in answers },
            .ends(.failed(.lost)), .promptStorage(), .clock(.beforeDeadline, .deadline, .afterDeadline),
            .jitter(),
        ])
        .after(.person(.launched), .person(.nameEdited("Kay")))
    }

    private static func comingIn(
        _ happenings: [Happening<Pairing>], asking: Throttle.Configuration = .unlimited
    ) -> Explore {
        var configuration = Pairing.Configuration(device: Pairing.phone)
        configuration.requests = asking
        configuration.backoff = Backoff.Configuration(limit: 2)  // enough to reach the limit
        configuration.requestLifetime = .seconds(90)
        let drawn: [Happening<Pairing>] = [.drawn { $0.drawn(&$1) }, .time(upTo: .minutes(2))]
        return Explore(
            Pairing(configuration: configuration), from: Pairing.State(configuration: configuration),
            happenings + drawn
        )
        .agesUpTo(.seconds(120))
        .always(.everySpinnerHasALimit { pairingSpinner($0, $1) })
        .always(.idempotent(.cancelled), .idempotent(.noticeDismissed))
        .always("P3: one question at a time, for who waits") { place in
            guard case .waitingForApproval(let waiting) = place.state.phase,
                case .asking(let attempt) = waiting.stage
            else { return place.openCalls.isEmpty }
            return place.openCalls == [.ask(attempt)]
        }
        .always("P3: a second tap does nothing") { place in
            guard case .waitingForApproval = place.state.phase else { return true }
            let (state, effects) = place.reduced(.submitted)
            return state == place.state && effects.isEmpty
        }
        .always("P1: the id that is used is the one that is stored") { place in
            guard case .known(let device) = place.state.device else { return true }
            return place.disk.entries.contains { $0.key == .device && $0.record == .device(device) }
        }
        .always("P4, P10: who is remembered has credentials and a secret on the disk") { place in
            guard let session = place.state.session, session.isRemembered else { return true }
            let entries = place.disk.entries
            return entries.contains { $0.record == .credentials(session.credentials) }
                && entries.contains { $0.key == .secret(session.credentials.secret) }
        }
        .always(.everyTimerHasAPurpose(dismissing: .noticeDismissed))
        .noGhosts()
        .leftAlone("P6: it comes to rest") { place in
            guard case .restoring = place.state.phase else { return !place.hasDeadline }
            return false
        }
    }

    /// An admin who decides about two devices, one of which finds no room beside two others.
    static var lettingIn: Explore {
        var configuration = Pairing.Configuration(device: Pairing.phone)
        configuration.requestLifetime = .seconds(20)
        configuration.incomingLimit = 1
        return Explore(
            Pairing(configuration: configuration), from: Pairing.State(configuration: configuration),
            [
                .person(
                    .noticeDismissed, .approved("a", as: "ann"), .denied("a", reason: nil),
                    .approved("b", as: "bob")),
                .person { $0.linking },
                .person { state in
                    [state.incoming.link, Pairing.formerLink].compactMap { $0 }.flatMap { link in
                        [
                            Pairing.knock("a", on: link), Pairing.knock("b", on: link),
                            Pairing.resolve("a", on: link), Pairing.notDecided("a", on: link),
                        ]
                    }
                },
                // Each change of the rights is saved, so the disk may be that many behind.
                .person { state in
                    guard let link = state.incoming.link else { return [] }
                    return [false, true].map { .received(.rights(isAdmin: $0), on: .link(link)) }
                }
                .atMost(2),
                .person(.signedOut).atMost(1),
                .drawn { $0.drawn(&$1) }, .time(upTo: .seconds(30)),
                .storage(.answered), .clock(.beforeDeadline, .deadline, .afterDeadline),
            ]
        )
        .after(.person(.launched), .storage(.answered), .storage(.answered), .storage(.answered))
        .after(.storage(.answered), .person(.nameEdited("Kay")), .person(.submitted), .storage(.answered))
        .after(.event(.granted(Secret("top-secret"), "kay", isAdmin: true)))
        .after(.storage(.answered), .storage(.answered), .storage(.answered))
        .agesUpTo(.seconds(60))
        .always(.everySpinnerHasALimit { pairingSpinner($0, $1) })
        .always(.idempotent(.approved("a", as: "ann")), .idempotent(.denied("a", reason: nil)))
        .always("P9: a device that was decided about is not decided about again") { place in
            var decided = place
            let (state, effects) = place.reduced(.approved("a", as: "ann"))
            guard !effects.isEmpty else { return true }
            decided.machine.send(.approved("a", as: "ann"), at: decided.machine.moment)
            return !Pairing.incomingRows(state).contains { $0.request.device == "a" }
                && decided.reduced(.denied("a", reason: nil)).effects.isEmpty
        }
        .always("P9: one row a device, and no more than there is room for") { place in
            let rows = place.state.incoming.rows.rows
            return rows.count <= 1 && Set(rows.map { $0.key }).count == rows.count
        }
        .always("P9: what a lost link makes doubtful comes back, and is shown once") { place in
            guard let link = place.state.incoming.link else { return true }
            let lost = place.reduced(.linkClosed(link)).state
            return Pairing.incomingRows(lost).count >= Pairing.incomingRows(place.state).count
        }
        .always("P9: a decision that the server refuses is asked for again") { place in
            guard let link = place.state.incoming.link,
                place.state.incoming.rows.rows.contains(where: { $0.key == "a" })
            else { return true }
            let told = place.reduced(Pairing.notDecided("a", on: link)).state
            return Pairing.incomingRows(told).contains { $0.request.device == "a" }
        }
        .always("P4: the rights that the server told last are stored") { place in
            guard place.pendingOperations == 0, let session = place.state.session, session.isRemembered
            else { return true }
            return place.disk.entries.contains { $0.record == .credentials(session.credentials) }
        }
        .always("P10: nobody decides who is not in") { place in
            place.state.isIn || place.state.incoming.rows.rows.isEmpty && place.state.incoming.link == nil
        }
        .always(.everyTimerHasAPurpose(dismissing: .noticeDismissed))
        .noGhosts()
        .leftAlone("P9: the rows expire") {
            !$0.hasDeadline && $0.state.incoming.rows.rows.isEmpty
        }
    }
}

extension Pairing {
    fileprivate static var phone: DeviceInfo { DeviceInfo(platform: "iOS", model: "iPhone") }
    fileprivate static var link: Attempt { Attempt(number: 900) }
    /// A link that was replaced long ago.
    fileprivate static var formerLink: Attempt { Attempt(number: .max) }
    fileprivate static var granted: Event { .granted(Secret("top-secret"), "kay", isAdmin: false) }

    fileprivate static func knock(_ device: DeviceID, _ name: ExactText = "Bo", on link: Attempt) -> Action {
        let request = PairingRequest(device: device, claimedName: name, info: phone)
        return .received(.requested(request), on: .link(link))
    }

    fileprivate static func resolve(_ device: DeviceID, on link: Attempt) -> Action {
        .received(.resolved(device), on: .link(link))
    }

    fileprivate static func notDecided(_ device: DeviceID, on link: Attempt) -> Action {
        .received(.notDecided(device, reason: "no"), on: .link(link))
    }
}

extension Pairing.State {
    fileprivate var isIn: Bool { session != nil }

    /// A link opens in place of the current one; this one, or a former one, closes.
    fileprivate var linking: [Pairing.Action] {
        let next = incoming.link == Pairing.link ? Attempt(number: 901) : Pairing.link
        let current = incoming.link.map { [.linkOpened($0), .linkClosed($0)] as [Pairing.Action] } ?? []
        return current + [.linkOpened(next), .linkClosed(Pairing.formerLink)]
    }

    /// Any action, with a preference for odd ones.
    fileprivate func drawn(_ choices: inout Choices) -> Pairing.Action? {
        let stale = Pairing.Call.ask(Attempt(number: .max))
        let text = choices.pick(Choices.texts) ?? ""
        let device = DeviceID(choices.pick(["a", "b", text]) ?? "a")
        let refusals: [CredentialsRefusal] = [
            .authenticationFailed, .tokenRevoked, .tokenExpired, .deviceNotApproved,
        ]
        let events: [Pairing.Event] = [
            .pending(code: text), .granted(Secret(""), "kay", isAdmin: true),
            .granted(Secret("top-secret"), UserID(text), isAdmin: true), .refused(.rejected(reason: text)),
            .refused(.timedOut), .resolved(device), .notDecided(device, reason: text),
            .rights(isAdmin: text.isEmpty),
        ]
        guard let refusal = choices.pick(refusals), let event = choices.pick(events) else { return nil }
        let actions: [Pairing.Action] = [
            .launched, .nameEdited(text), .nameEdited("Kay"), .submitted, .submitted, .cancelled, .retried,
            .signedOut, .approved(device, as: UserID(text)), .denied(device, reason: text), .noticeDismissed,
            .networkReturned, .dataNotErased(Attempt(number: .max)), .dataErased(Attempt(number: .max)),
            .signedOutForGood, .credentialsRefused(refusal), .linkOpened(Pairing.link),
            .linkClosed(Pairing.link), Pairing.knock(device, text, on: Pairing.link),
            .received(event, on: stale), .received(event, on: .link(Pairing.link)), .ended(stale, .completed),
            .ended(.link(Pairing.link), .failed(.lost)),
            .stored(.missing, under: .credentials, Attempt(number: .max)),
        ]
        return choices.pick(actions)
    }
}

extension Pairing.Event {
    fileprivate static var denied: Self { .refused(.denied(reason: nil)) }
}
