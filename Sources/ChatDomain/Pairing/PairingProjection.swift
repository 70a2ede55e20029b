// The pairing screen, computed from the state (R3): a front end draws this and nothing else.

extension Pairing {
    /// The pairing screen.
    public enum Screen: PlainValue {
        /// Nothing to do yet.
        case restoring(ExactText)
        /// The name field and its button.
        case name(Form)
        /// The wait, with a sentence and perhaps a code to compare.
        case waiting(ExactText, code: ExactText?)
        /// The failure, and the button that leads back.
        case failed(ExactText, button: ExactText)
        /// The device is in, and nothing is shown here.
        case finished
    }

    /// The name field and its button.
    public struct Form: PlainValue {
        /// The text of the field.
        public let name: ExactText
        /// The label above it.
        public let label: ExactText
        /// The title of the button.
        public let button: ExactText
        /// Whether there is a name; without one the button only reports that.
        public let canSubmit: Bool
    }

    /// A device that waits for an admin's decision.
    public struct IncomingRow: PlainValue {
        /// The device and its description.
        public let request: PairingRequest
        /// When it first asked.
        public let firstSeen: WallTime
    }

    /// The pairing screen.
    public static func screen(_ state: State, _ wording: Wording) -> Screen {
        switch state.phase {
        case .restoring: .restoring(wording.restoring)
        case .idle, .enteringName:
            .name(
                Form(
                    name: state.name, label: wording.yourName, button: wording.connect,
                    canSubmit: !state.name.withoutControlCharacters.isBlank))
        case .waitingForApproval(let waiting):
            .waiting(
                waiting.trouble.map { wording.askingAgain(wording.reason($0)) } ?? wording.waitingForApproval,
                code: waiting.code.map { wording.code($0) })
        case .failed(let failure): .failed(sentence(failure, wording), button: wording.tryAgain)
        case .paired: .finished
        }
    }

    /// The requests that wait for an admin's decision, in the order of first sight.
    public static func incomingRows(_ state: State) -> [IncomingRow] {
        state.incoming.rows.rows.compactMap { row in
            guard row.value.standing == .undecided else { return nil }
            return IncomingRow(request: row.value.request, firstSeen: row.firstSeen.wall)
        }
    }

    /// The notice to the person, if there is one.
    public static func notice(_ state: State, _ wording: Wording) -> ExactText? {
        switch state.notice {
        case nil: nil
        case .notRemembered: wording.notRemembered
        case .deviceUnavailable(let failure): wording.pairingStorage(wording.reason(failure))
        case .signedOut: wording.signInAgain
        case .notErased: wording.notErased
        case .dataNotErased: wording.dataNotErased
        case .decisionNotSent: wording.decisionNotSent
        case .decisionRefused(let reason): wording.decisionRefused(reason ?? wording.reasons.refused)
        }
    }

    private static func sentence(_ failure: Failure, _ wording: Wording) -> ExactText {
        switch failure {
        case .emptyName: wording.emptyName
        case .refused(.denied(let reason)): reason ?? wording.pairingDenied
        case .refused(.rejected(let reason)): reason ?? wording.pairingRejected
        case .refused(.timedOut), .timedOut: wording.pairingTimedOut
        case .unacceptable(let message): wording.connectFailed(message ?? wording.reasons.refused)
        case .storage(let why), .unreadable(let why, _): wording.pairingStorage(wording.reason(why))
        }
    }
}
