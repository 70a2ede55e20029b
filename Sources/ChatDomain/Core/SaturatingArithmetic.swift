// Integer arithmetic that stops at the end of its range, for operands that a server, a file or an app has chosen.

/// The sum of two integers, or the nearest representable one.
@inlinable package func saturatingSum<Number: FixedWidthInteger>(_ left: Number, _ right: Number) -> Number {
    let (sum, overflow) = left.addingReportingOverflow(right)
    guard overflow else { return sum }
    return right < 0 ? .min : .max
}

/// The difference of two integers, or the nearest representable one.
@inlinable
package func saturatingDifference<Number: FixedWidthInteger>(_ left: Number, _ right: Number) -> Number {
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    guard overflow else { return difference }
    return right < 0 ? .max : .min
}

/// The product of two integers, or the nearest representable one.
@inlinable
package func saturatingProduct<Number: FixedWidthInteger>(_ left: Number, _ right: Number) -> Number {
    let (product, overflow) = left.multipliedReportingOverflow(by: right)
    guard overflow else { return product }
    return (left < 0) == (right < 0) ? .max : .min
}
