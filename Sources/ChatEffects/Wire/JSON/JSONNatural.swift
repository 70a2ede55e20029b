// Natural numbers of any size, with the few operations for correct rounding. The greatest have about 3,800 bits.

/// A natural number, little-endian in 32-bit digits (products of two fit 64 bits also on a 32-bit machine).
struct JSONNatural {
    private var digits: [UInt32]  // no trailing zeros

    init(_ value: UInt64) {
        digits = [UInt32(truncatingIfNeeded: value), UInt32(truncatingIfNeeded: value >> 32)]
        trim()
    }

    var isZero: Bool { digits.isEmpty }

    /// The number of bits without leading zeros.
    var bitWidth: Int {
        guard let last = digits.last else { return 0 }
        return digits.count * 32 - last.leadingZeroBitCount
    }

    mutating func multiply(by factor: UInt32, adding addend: UInt32 = 0) {
        var carry = UInt64(addend)
        for index in digits.indices {
            let product = UInt64(digits[index]) * UInt64(factor) + carry
            digits[index] = UInt32(truncatingIfNeeded: product)
            carry = product >> 32
        }
        if carry > 0 { digits.append(UInt32(truncatingIfNeeded: carry)) }
    }

    mutating func multiply(byPowerOfTen exponent: Int64) {
        for _ in 0..<exponent / 9 { multiply(by: 1_000_000_000) }  // the greatest power of ten in 32 bits
        for _ in 0..<exponent % 9 { multiply(by: 10) }
    }

    mutating func shiftLeft(by count: Int) {
        guard !isZero else { return }
        let bits = UInt32(count % 32)
        if bits > 0 {
            var carry: UInt32 = 0
            for index in digits.indices {
                let digit = digits[index]
                digits[index] = digit << bits | carry
                carry = digit >> (32 - bits)
            }
            if carry > 0 { digits.append(carry) }
        }
        if count >= 32 { digits.insert(contentsOf: repeatElement(0, count: count / 32), at: 0) }
    }

    /// Subtracts a number that is not greater and returns true; otherwise returns false without a change.
    mutating func subtract(_ other: JSONNatural) -> Bool {
        guard other.isAtMost(self) else { return false }
        var borrow: Int64 = 0
        for index in digits.indices {
            let part = index < other.digits.count ? Int64(other.digits[index]) : 0
            let difference = Int64(digits[index]) - part - borrow
            digits[index] = UInt32(truncatingIfNeeded: difference)
            borrow = difference < 0 ? 1 : 0
        }
        trim()
        return true
    }

    private func isAtMost(_ other: JSONNatural) -> Bool {
        guard digits.count == other.digits.count else { return digits.count < other.digits.count }
        for index in digits.indices.reversed() where digits[index] != other.digits[index] {
            return digits[index] < other.digits[index]
        }
        return true
    }

    private mutating func trim() {
        while digits.last == 0 { digits.removeLast() }
    }
}
