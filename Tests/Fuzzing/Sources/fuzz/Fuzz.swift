// The entrance of libFuzzer. The bytes spell the choices of a run, so the fuzzer searches for the order of events that
// breaks a law, led by the code that each order reaches. The environment variable CHAT_FUZZ names what is run.

import ChatTesting
import Foundation

/// What the bytes drive.
private let exploration: Exploration = {
    let name = ProcessInfo.processInfo.environment["CHAT_FUZZ"] ?? "pairing"
    guard let found = Exploration.all.first(where: { $0.name == name }) else {
        FileHandle.standardError.write(Data("CHAT_FUZZ: there is no “\(name)”\n".utf8))
        exit(2)
    }
    return found
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let violation = exploration.run(bytes: input) {
        FileHandle.standardError.write(Data("\(violation)\n".utf8))
        abort()
    }
    return 0
}
