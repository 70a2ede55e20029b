// A fault of the server's work in its command-line form: a rule of the in-process backend.
//
//     token:3=drop       acknowledgement=delay:6      upload:40=status:429      pairing=refuse:pair_denied

import ChatDomain
import ChatEffects

extension LocalServer.Rule {
    /// Reads a rule, `STEP[:NUMBER]=FAULT[:VALUE][*TIMES]`. Throws a sentence.
    init(parsing text: String) throws(UsageError) {
        let problem = UsageError(
            "a fault is STEP=FAULT, such as token:3=drop or acknowledgement=delay:6*1, not “\(text)”")
        let sides = Self.parts(text, at: "=")
        guard sides.count == 2 else { throw problem }
        let counted = Self.parts(sides[1], at: "*")
        var times = UInt64.max
        if counted.count == 2 {
            guard let count = UInt64(counted[1]) else { throw problem }
            times = count
        }
        guard let step = Self.step(sides[0]), let fault = counted.first.flatMap(Self.fault) else {
            throw problem
        }
        self.init(step, fault, times: times)
    }

    /// The text before the first separator and the text behind it, either perhaps empty.
    private static func parts(_ text: String, at separator: Character) -> [String] {
        text.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }

    private static func step(_ text: String) -> LocalServer.Step? {
        let parts = parts(text, at: ":")
        let number = parts.count == 2 ? whole(parts[1], in: 0...(.max)) : nil
        return switch (parts.first, number, parts.count) {
        case ("handshake"?, _, 1): .handshake
        case ("pairing"?, _, 1): .pairing
        case ("authentication"?, _, 1): .authentication
        case ("receipt"?, _, 1): .receipt
        case ("acknowledgement"?, _, 1): .acknowledgement
        case ("echo"?, _, 1): .echo
        case ("reply"?, _, 1): .reply
        case ("token"?, let number?, 2): .token(number)
        case ("upload"?, let number?, 2) where number <= 100: .upload(percent: number)
        case ("announcement"?, _, 1): .announcement
        case ("decision"?, _, 1): .decision
        case ("answer"?, _, 1): .answer
        case ("suggestion"?, let number?, 2): .suggestion(number)
        case ("wholeSuggestion"?, _, 1): .wholeSuggestion
        case ("coach"?, let number?, 2): .coach(number)
        case ("coachWhole"?, _, 1): .coachWhole
        case ("refresh"?, _, 1): .refresh
        default: nil
        }
    }

    private static func fault(_ text: String) -> LocalServer.Fault? {
        let parts = parts(text, at: ":")
        let value = parts.count == 2 ? parts[1] : nil
        switch (parts.first, value) {
        case ("silence"?, nil): return .silence
        case ("drop"?, nil): return .drop
        case ("noise"?, nil): return .noise
        case ("duplicate"?, nil): return .duplicate
        case ("refuseCursor"?, nil): return .refuseCursor
        case ("loseHistory"?, nil): return .loseHistory
        case ("loseAssets"?, nil): return .loseAssets
        case ("revokeToken"?, nil): return .revokeToken
        case ("replaceSession"?, nil): return .replaceSession
        case ("delay"?, let value?): return seconds(value).map { .delay($0) }
        case ("holdBack"?, let value?): return seconds(value).map { .holdBack($0) }
        case ("close"?, let value?):
            // The codes that a server may send (RFC 6455, section 7.4).
            return whole(value, in: 1_000...4_999)
                .flatMap { WebSocketCloseCode.isLegal($0) ? .close(code: $0, reason: "") : nil }
        case ("status"?, let value?): return whole(value, in: 200...999).map { .status($0) }
        case ("truncateReplay"?, let value?):
            return whole(value, in: 0...(.max)).map { .truncateReplay(to: $0) }
        case ("refuse"?, let value?) where !value.isEmpty:
            return .refuse(code: ExactText(value), message: "Refused by request")
        default: return nil
        }
    }

    private static func whole(_ text: String, in range: ClosedRange<Int64>) -> Int64? {
        Int64(text).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func seconds(_ text: String) -> Interval? {
        guard let value = Double(text), value >= 0, value <= 86_400 else { return nil }
        return .milliseconds(Int64(value * 1_000))
    }
}
