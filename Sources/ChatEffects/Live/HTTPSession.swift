// One session of the system, with one call at a time. Answers come through its delegate, piece by piece (`bytes(for:)`
// does not exist on Linux). The session has no cache, no cookies and no time limit of its own: the reducers own all
// waiting. A redirect to another host carries no header that the app has set, because a token belongs to one host.
//
// Whatever a server sends, a call ends once, with a reason, and its waiting bytes are limited: interim answers (1xx)
// are counted and not told, a redirect that is not followed is named, and a demand for a password is an answer like any
// other. No method waits for the session.
//
// On Linux the session carries encrypted calls alone (PlainHTTPCall.swift has the others), because two things are not
// in the hands of this file there. Foundation stops the process when a connection ends within a head, after its status
// line (`NativeProtocol`: “Transfer completed, but there's no response”). And all sessions share one thread, which a
// flood keeps busy; one whose call is over is broken (FloodedSockets.swift).

import ChatDomain
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session and its call.
final class HTTPSession: NSObject, URLSessionDataDelegate, HTTPCarrier {
    private let arrivals: Arrivals
    private let queue = HTTPQueue()
    private let state = Locked(State())

    /// Everything that may wait for the session's thread.
    private let work = DispatchQueue(label: "chat.http.session")

    private struct State {
        /// Made for the first call, and gone once the session is abandoned.
        var session: URLSession?
        var isAbandoned = false
        var call: Call?
        /// The server of the last request.
        var server: URL?
    }

    private struct Call {
        let number: CallNumber
        /// What is asked, also after redirects.
        var request: URLRequest
        /// Takes the session back; returns whether it is kept for a later call.
        let giveBack: @Sendable (_ isReusable: Bool) -> Bool
        /// Nil until the session has made it.
        var task: Int?
        var hasHead = false
        var interimAnswers = 0
        var redirects = 0
        /// The last redirect, and its status.
        var redirect: (status: Int64, to: ExactText)?
    }

    init(_ arrivals: Arrivals) {
        self.arrivals = arrivals
        super.init()
    }

    /// Begins a call; the session has no other. The function gets the session back before the end of the call is told.
    func begin(_ call: CallNumber, _ request: URLRequest, giveBack: @escaping @Sendable (Bool) -> Bool) {
        state.withLock { state in
            if !state.isAbandoned { state.call = Call(number: call, request: request, giveBack: giveBack) }
            state.server = request.url
        }
        work.async { [self] in
            // Neither is made while the lock is held: the session's thread may wait for its delegate, which takes it.
            guard state.withLock({ $0.call != nil }) else { return }
            let session = state.withLock({ $0.session }) ?? .forCalls(delegate: self, queue: queue)
            let task = session.dataTask(with: request)
            let isWanted = state.withLock { state in
                state.call?.task = task.taskIdentifier
                if !state.isAbandoned { state.session = session }
                return !state.isAbandoned
            }
            if isWanted { task.resume() } else { session.invalidateAndCancel() }
        }
    }

    /// Ends the call without a word, and the session with it.
    func abandon() {
        let server = state.withLock { state in
            defer { (state.call, state.isAbandoned) = (nil, true) }
            return state.server
        }
        let isOver = Locked(false)
        work.async { [self] in
            let session = state.withLock { state in
                defer { state.session = nil }
                return state.session
            }
            session?.invalidateAndCancel()
            isOver.withLock { $0 = true }
        }
        #if !canImport(Darwin)
            Self.breakFlood(of: server, until: isOver)
        #endif
    }

    #if !canImport(Darwin)
        /// What pauses within this time is ended by the session itself.
        private static let patience = 0.2

        /// Breaks the connections to a server as long as the session has not ended.
        private static func breakFlood(of server: URL?, until isOver: Locked<Bool>) {
            guard let server, let host = server.host else { return }
            // The look-up of a name blocks.
            DispatchQueue(label: "chat.flood").asyncAfter(deadline: .now() + patience) {
                guard !isOver.withLock({ $0 }) else { return }
                let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
                FloodedSockets.breakAll(
                    host: name, port: server.port ?? (server.scheme == "https" ? 443 : 80))
                breakFlood(of: server, until: isOver)
            }
        }
    #endif

    // MARK: The call

    /// Passes an arrival of a task on; a call with too many waiting bytes ends.
    private func tell(_ task: URLSessionTask, _ arrival: Arrival) {
        // Within the lock, so nothing arrives once a call is closed.
        let isRefused = state.withLock { state in
            guard let call = state.call, call.task == task.taskIdentifier else { return false }
            return !arrivals.add(.arrived(call.number, arrival))
        }
        if isRefused { end(task, .failed(.tooLarge)) }
    }

    /// Ends the call of a task, if it has not ended yet.
    private func end(_ task: URLSessionTask, _ reason: CallEnd) {
        let call = state.withLock { state -> Call? in
            guard state.call?.task == task.taskIdentifier else { return nil }
            defer { state.call = nil }
            return state.call
        }
        guard let call else { return }
        if !call.giveBack(reason == .completed) { abandon() }
        arrivals.add(.arrived(call.number, .ended(reason)))
    }

    /// Changes the call of a task. Returns nil if the task has none any more.
    private func change<Result>(_ task: URLSessionTask, _ body: (inout Call) -> sending Result)
        -> sending Result?
    {
        state.withLock { state in
            guard var call = state.call, call.task == task.taskIdentifier else { return nil }
            defer { state.call = call }
            return body(&call)
        }
    }

    // MARK: The session's calls

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse else {
            completionHandler(.cancel)
            return end(dataTask, .failed(.malformed))
        }
        let status = Int64(response.statusCode)
        // On Linux, interim answers come here as well (RFC 9110, section 15.2).
        let isInterim = (100...199).contains(status)
        let isRightful = change(dataTask) { call in
            if isInterim { call.interimAnswers += 1 }
            defer { if !isInterim { call.hasHead = true } }
            return !call.hasHead && call.interimAnswers <= HTTPAnswerReader.interimLimit
        }
        switch isRightful {
        case true? where !isInterim: tell(dataTask, .head(status: status, headers: response.headers))
        case false?: end(dataTask, .failed(.malformed))
        default: break
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        switch change(dataTask, { $0.hasHead }) {
        case true?: tell(dataTask, .body(Array(data)))
        case false?: end(dataTask, .failed(.malformed))
        case nil: break
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        guard totalBytesExpectedToSend > 0 else { return }
        tell(task, .sent(totalBytesSent, of: totalBytesExpectedToSend))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let to = request.url else { return completionHandler(nil) }
        let redirect = (status: Int64(response.statusCode), to: to.shown)
        let known = change(task) { call in
            let origin = call.request
            call.redirects += 1
            call.redirect = redirect
            call.request = request.redirected(from: origin)
            return (origin: origin.url, next: call.request, isLoop: call.redirects > URLRequest.redirectLimit)
        }
        guard let known, !known.isLoop, known.origin?.mayRedirect(to: to) == true else {
            completionHandler(nil)
            return end(task, .redirected(redirect.status, to: redirect.to, isLoop: known?.isLoop == true))
        }
        state.withLock { $0.server = to }
        completionHandler(known.next)
    }

    #if !canImport(Darwin)
        /// The server demands a password. On Linux that comes behind the answer, in place of its end; on Apple's systems,
        /// where the session has no password to offer, the answer follows by itself.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler:
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            guard change(task, { $0.hasHead }) == true else {
                return completionHandler(.performDefaultHandling, nil)
            }
            end(task, .completed)
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let known = change(task) { call in (hasHead: call.hasHead, redirect: call.redirect) }
        switch (error, known?.redirect) {
        case (let error?, let redirect?) where (error as? URLError)?.code == .httpTooManyRedirects:
            end(task, .redirected(redirect.status, to: redirect.to, isLoop: true))
        case (let error?, _): end(task, .failed(CallFailure(error)))
        case (nil, _): end(task, known?.hasHead == false ? .failed(.malformed) : .completed)
        }
    }
}

/// The queue on which a session calls its delegate.
///
/// On Linux, the session's thread hands over each piece of an answer by adding it here, and does not wait. So it waits
/// here for the pieces before: otherwise a compressed body would fill the memory faster than the delegate takes it.
final class HTTPQueue: OperationQueue, @unchecked Sendable {
    #if !canImport(Darwin)
        private let room = DispatchSemaphore(value: 0)

        /// The most pieces that wait; one has 16 KiB.
        private static let limit = 64

        override init() {
            super.init()
            for _ in 0..<Self.limit { room.signal() }
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            // The queue's own thread must not wait for itself.
            guard OperationQueue.current !== self else { return super.addOperation(block) }
            room.wait()
            super.addOperation { [room] in
                block()
                room.signal()
            }
        }
    #endif
}
