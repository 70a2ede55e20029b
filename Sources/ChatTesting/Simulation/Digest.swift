// A number for the work of a machine: FNV-1a, 64 bits (Fowler, Noll, Vo), over the operations and the
// log, written by hand. Swift seeds its own hasher differently in every process, so it cannot be used here.

import ChatDomain
import ChatEffects

/// The constants of FNV-1a with 64 bits (Fowler, Noll, Vo).
enum FNV {
    static var basis: UInt64 { 0xCBF2_9CE4_8422_2325 }
    static var prime: UInt64 { 0x0000_0100_0000_01B3 }
}

/// A running digest.
package struct Digest: PlainValue {
    package private(set) var value = FNV.basis

    /// The factor for a number below 256: a round for its byte, and seven for bytes that are zero.
    private static let eightRounds = (0..<8).reduce(1) { product, _ in product &* FNV.prime }

    package mutating func add(_ number: UInt64) {
        var rest = number
        for _ in 0..<8 {
            value = (value ^ rest & 0xFF) &* FNV.prime
            rest >>= 8
        }
    }

    /// Adds the count, and each byte as a number.
    package mutating func add(_ bytes: some Collection<UInt8>) {
        add(UInt64(bytes.count))
        let factor = Digest.eightRounds
        for byte in bytes { value = (value ^ UInt64(byte)) &* factor }
    }

    package init() {}

    package mutating func add(_ path: RecordPath) {
        for component in path.components { add(component.utf8) }
    }

    package mutating func add(_ moment: Moment) {
        add(UInt64(bitPattern: moment.now.nanoseconds))
        add(UInt64(bitPattern: moment.wall.nanosecondsSince1970))
    }

    package mutating func add(_ payload: Payload) {
        for part in payload.parts {
            switch part {
            case .bytes(let bytes): add(bytes)
            case .secret(let handle): add(handle.name.utf8)
            case .stored(let path): add(path)
            }
        }
    }

    package mutating func add(_ operation: DriverOperation) {
        switch operation {
        case .open:
            add(1)
            // The encoding has every part of a request.
            var bytes: [UInt8] = []
            operation.encode(into: &bytes)
            add(bytes)
        case .send(let number, let payload):
            add(2)
            add(number.value)
            add(payload)
        case .close(let number):
            add(3)
            add(number.value)
        case .load(let ticket, let path):
            add(4)
            add(ticket.value)
            add(path)
        case .save(let ticket, let path, let content):
            add(5)
            add(ticket.value)
            add(path)
            if case .bytes(let bytes) = content { add(bytes) }
        case .erase(let ticket, let path):
            add(6)
            add(ticket.value)
            add(path)
        case .setAside(let path):
            add(7)
            add(path)
        case .haptic: add(8)
        }
    }

    /// Adds an arrival on a call.
    package mutating func add(_ arrival: Arrival, on call: CallNumber) {
        switch arrival {
        case .body(let bytes), .text(let bytes):
            add(call.value)
            add(bytes)
        case .opened, .head, .tooLong, .signOfLife, .sent, .ended:
            var bytes: [UInt8] = []
            Outcome.arrived(call, arrival).encode(into: &bytes)
            add(bytes)
        }
    }
}
