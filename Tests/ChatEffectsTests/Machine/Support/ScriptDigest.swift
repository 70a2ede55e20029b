// The log of a script in a digest.

import ChatDomain
@testable import ChatEffects
import ChatTesting

extension Digest {
    mutating func add(_ entry: Script.Entry) {
        add(entry.moment)
        switch entry.action {
        case .act(let effects):
            add(11)
            add(UInt64(effects.count))
        case .received(let event, let call):
            add(12)
            add(call)
            add(event)
        case .ended(let call, let end):
            add(13)
            add(call)
            add(end == .completed ? 0 : 1)
        case .stored(_, let key, let attempt):
            add(14)
            add(key.path)
            add(attempt.number)
        case .timerFired(let timer):
            add(15)
            switch timer {
            case .a: add(0)
            case .b: add(1)
            case .c: add(2)
            case .numbered(let number): add(UInt64(bitPattern: number) &+ 3)
            }
        }
    }

    mutating func add(_ call: Script.Call) {
        switch call {
        case .a: add(0)
        case .b: add(1)
        case .c: add(2)
        }
    }

    mutating func add(_ event: Script.Event) {
        switch event {
        case .byte(let byte): add(UInt64(byte))
        case .text(let bytes): add(bytes)
        case .opened: add(0x100)
        case .head(let status): add(UInt64(bitPattern: status))
        }
    }
}
