// A value whose initialiser has another label than its property, as a test target of an app declares it: this file sees
// only what the kit makes public.

import ChatDomain
import ChatTesting

struct Points: DomainValue, SourceText {
    private let count: Int64

    init(of count: Int64) { self.count = count }

    var sourceText: String { "Points(of: \(count))" }
}
