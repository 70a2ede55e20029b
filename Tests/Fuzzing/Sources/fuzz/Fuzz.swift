// The entrance of libFuzzer. Either the bytes spell the choices of a run, so the fuzzer searches for the order of events
// that breaks a law, led by the code that each order reaches; or they are what a server sends. The environment variable
// CHAT_FUZZ names what is run.

import ChatTesting
import Foundation

/// What is wrong with the run of an input; nil when nothing is.
private let complaint: @Sendable ([UInt8]) -> String? = {
    let name = ProcessInfo.processInfo.environment["CHAT_FUZZ"] ?? "pairing"
    if let law = ByteLaw.all.first(where: { $0.name == name }) { return { law.complaint(about: $0) } }
    if let exploration = Exploration.all.first(where: { $0.name == name }) {
        return { exploration.run(bytes: $0).map { "\($0)" } }
    }
    FileHandle.standardError.write(Data("CHAT_FUZZ: there is no “\(name)”\n".utf8))
    exit(2)
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let complaint = complaint(input) {
        FileHandle.standardError.write(Data("\(complaint)\n".utf8))
        abort()
    }
    return 0
}
