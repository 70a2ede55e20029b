// How much the tests draw and enumerate. `swift test` takes a part, which passes in one to two minutes on two cores, because
// code that is not optimised is slow; `CHAT_THOROUGH=1 swift test` takes all, as `.ci/run` does.

import Foundation

private let isThorough = ProcessInfo.processInfo.environment["CHAT_THOROUGH"] != nil

/// All of what there is to try, or the part that an ordinary run tries.
public func thoroughly<Amount>(_ all: Amount, otherwise part: Amount) -> Amount { isThorough ? all : part }
