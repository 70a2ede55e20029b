// HTTP requests. The system's URL session carries them, but on Linux those in the clear, which are carried over plain
// sockets (PlainHTTPCall.swift): what a stranger may send is in our hands there. Each call has a session of its own
// while it runs, so that a flood of bytes is ended with its session and waits in a queue of its own. A session whose
// call has ended well serves a later call, with its open connection. No method waits for the network.

import ChatDomain
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What carries one call.
protocol HTTPCarrier: Sendable {
    /// Ends the call without a word.
    func abandon()
}

/// The HTTP requests that are under way. Methods may be called on any thread.
final class HTTPCalls: Sendable {
    private let arrivals: Arrivals
    private let table = Locked(Table())

    private struct Table {
        var running: [CallNumber: any HTTPCarrier] = [:]
        /// Sessions without a call, the last one first.
        var idle: [HTTPSession] = []
    }

    /// The most sessions that wait for a call: as many as there are streams at once in usual use.
    private static let idleLimit = 4

    init(_ arrivals: Arrivals) { self.arrivals = arrivals }

    /// Begins a request.
    func open(_ call: CallNumber, _ url: URL, method: ExactText, headers: [Header], body: [UInt8]) {
        guard headers.allSatisfy(HTTPRequestHead.mayBeGiven) else {
            arrivals.add(.arrived(call, .ended(.failed(.malformed))))
            return
        }
        var request = URLRequest(url: url)
        request.httpMethod = method.string
        for header in headers {
            request.setValue(header.value.string, forHTTPHeaderField: header.name.string)
        }
        request.timeoutInterval = URLSession.silenceLimit
        #if !canImport(Darwin)
            if url.scheme == "http" {
                let plain = PlainHTTPCall(call, arrivals, request, body) { [weak self] (next, body) in
                    self?.ended(call, next, body)
                }
                table.withLock { $0.running[call] = plain }
                return plain.begin()
            }
        #endif
        carry(call, request, body)
    }

    /// Has a session carry a call; for one that continues another, only if that has not been closed.
    private func carry(_ call: CallNumber, _ request: URLRequest, _ body: [UInt8], isNext: Bool = false) {
        var request = request
        if !body.isEmpty { request.httpBody = Data(body) }
        let session = table.withLock { [arrivals] table -> HTTPSession? in
            guard !isNext || table.running[call] != nil else { return nil }
            let session = table.idle.popLast() ?? HTTPSession(arrivals)
            table.running[call] = session
            return session
        }
        session?.begin(call, request) { [weak self] isReusable in
            session.flatMap { self?.ended(call, $0, isReusable: isReusable) } ?? false
        }
    }

    #if !canImport(Darwin)
        /// Takes note that a plain call has ended, or that a redirect leads it to an encrypted address.
        private func ended(_ call: CallNumber, _ next: URLRequest?, _ body: [UInt8]) {
            if let next { return carry(call, next, body, isNext: true) }
            table.withLock { _ = $0.running.removeValue(forKey: call) }
        }
    #endif

    /// Cancels a request. Nothing of it arrives from now on.
    func close(_ call: CallNumber) {
        table.withLock { $0.running.removeValue(forKey: call) }?.abandon()
    }

    /// Cancels everything, and releases the sessions.
    func closeAll() {
        let sessions = table.withLock { table in
            defer { table = Table() }
            return Array(table.running.values) + table.idle
        }
        for session in sessions { session.abandon() }
    }

    /// Takes a session whose call has ended. Returns whether it is kept for a later call.
    private func ended(_ call: CallNumber, _ session: HTTPSession, isReusable: Bool) -> Bool {
        table.withLock { table in
            guard table.running.removeValue(forKey: call) != nil, isReusable,
                table.idle.count < Self.idleLimit
            else { return false }
            table.idle.append(session)
            return true
        }
    }
}

extension URLSession {
    /// A day without a byte: longer than each deadline of a reducer.
    static let silenceLimit = 86_400.0

    /// A session that stores nothing and has no time limit. It calls its delegate on a queue, one call at a time.
    static func forCalls(delegate: any URLSessionDelegate, queue: OperationQueue = OperationQueue())
        -> URLSession
    {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = silenceLimit
        // One connection for each question that a person may have open: streams must not wait for each other.
        configuration.httpMaximumConnectionsPerHost = 16
        queue.maxConcurrentOperationCount = 1
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }
}
