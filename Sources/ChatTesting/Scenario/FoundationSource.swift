// The values of Foundation that a feature keeps, in the form of a test. Each hides its parts, so that none can be written by
// its fields.

import Foundation

extension UUID: SourceText {
    /// The digits in quotation marks.
    public var sourceText: String { "UUID(uuidString: \(uuidString.quoted))!" }
}

extension URL: SourceText {
    /// The text in quotation marks, and the address to which it is relative.
    public var sourceText: String {
        let base = baseURL.map { ", relativeTo: \($0.sourceText)" } ?? ""
        return "URL(string: \(relativeString.quoted)\(base))!"
    }
}

extension Date: SourceText {
    /// The seconds since the reference date, exactly.
    public var sourceText: String {
        "Date(timeIntervalSinceReferenceDate: \(Rendering.source(of: timeIntervalSinceReferenceDate)))"
    }
}

extension Data: SourceText {
    /// The bytes as numbers.
    public var sourceText: String { "Data(\(Array(self)))" }
}

extension Decimal: SourceText {
    /// The digits in quotation marks: a literal would be rounded to a binary fraction.
    public var sourceText: String { isNaN ? ".nan" : "Decimal(string: \(description.quoted))!" }
}
