// The system's network. HTTP uses the system's URL session, but for addresses in the clear on Linux (`PlainHTTPCall`).
// WebSockets use it too on Apple's systems (`WebSocketTasks`), and plain sockets elsewhere (`SocketCalls`). All
// outcomes go into `Arrivals`, from which the loop takes them. NetworkDriver.swift lists the duties.

import ChatDomain
import Foundation

/// Carries out calls to one server.
public struct LiveNetwork: NetworkDriver, Sendable {
    private let address: ServerAddress
    private let arrivals: Arrivals
    private let calls: Calls

    /// A network to the server at an address. Its outcomes go to the loop with the same `Arrivals`.
    public init(_ address: ServerAddress, _ arrivals: Arrivals) {
        self.address = address
        self.arrivals = arrivals
        calls = Calls(arrivals)
    }

    /// The calls by their transport; ends them all when the network is not used any more.
    private final class Calls: Sendable {
        let requests: HTTPCalls
        let sockets: Sockets

        #if canImport(Darwin)
            typealias Sockets = WebSocketTasks
        #else
            typealias Sockets = SocketCalls
        #endif

        init(_ arrivals: Arrivals) {
            requests = HTTPCalls(arrivals)
            sockets = Sockets(arrivals)
        }

        deinit {
            requests.closeAll()
            sockets.closeAll()
        }
    }

    /// Carries out an operation on a call.
    public mutating func carryOut(_ operation: DriverOperation, at moment: Moment) {
        switch operation {
        case .open(let call, .http(let method, let path, let headers, let body, _)):
            guard let url = address.url(path) else { return end(call, .malformed) }
            calls.requests.open(call, url, method: method, headers: headers, body: Self.bytes(of: body))
        case .open(let call, .renewal): end(call, .malformed)  // a loop has made it an HTTP request
        case .open(let call, .socket(let path)): calls.sockets.open(call, address, path: path)
        case .send(let call, let payload): calls.sockets.send(call, Self.bytes(of: payload))
        case .close(let call):
            calls.requests.close(call)
            calls.sockets.close(call)
        case .load, .save, .erase, .setAside, .haptic: break
        }
    }

    /// None: outcomes arrive by themselves.
    public var nextDeadline: Instant? { nil }

    /// Nothing: outcomes arrive by themselves.
    public mutating func advance(to moment: Moment) -> [Outcome] { [] }

    private func end(_ call: CallNumber, _ failure: CallFailure) {
        arrivals.add(.arrived(call, .ended(.failed(failure))))
    }

    /// The bytes of a payload that the loop has filled.
    private static func bytes(of payload: Payload) -> [UInt8] {
        var bytes: [UInt8] = []
        for case .bytes(let part) in payload.parts { bytes += part }
        return bytes
    }
}
