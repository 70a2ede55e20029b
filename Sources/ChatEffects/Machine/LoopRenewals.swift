// The loop's part in the renewal of credentials: the request, the closing, and the save. `Renewals` decides what to do.

import ChatDomain

extension Loop {
    /// Renews a secret for a call of the machine.
    @usableFromInline
    mutating func renew(
        _ secret: SecretHandle, at path: ExactText, _ headers: [Header], for call: CallNumber
    ) {
        guard let own = renewals.enter(call, for: secret) else { return }
        let request = Exchange.http(
            method: "POST", path: path, headers: headers, body: Payload([]), credential: secret)
        do throws(MissingPart) {
            server.carryOut(.open(own, try filled(request)), at: clock)
        } catch {
            _ = renewals.leave(call)
            answers.append(.arrived(call, .ended(error.end)))
        }
    }

    /// Whether a call that the machine closes waits for a secret. The network's call ends with the last waiting one.
    @usableFromInline
    mutating func leavesRenewal(_ call: CallNumber) -> Bool {
        guard let work = renewals.leave(call) else { return false }
        carryOut(work)
        return true
    }

    /// Hands an outcome to its renewal.
    @usableFromInline
    mutating func takeForRenewal(_ outcome: Outcome) {
        carryOut(renewals.take(outcome, at: clock.wall))
    }

    @usableFromInline
    mutating func giveUpRenewals(before operation: DriverOperation) {
        carryOut(renewals.giveUp(before: operation))
    }

    private mutating func carryOut(_ work: Renewals.Work) {
        for call in work.close { server.carryOut(.close(call), at: clock) }
        if let save = work.save, let answer = store.carryOut(save) { answers.append(answer) }
        answers += work.tell
    }
}
