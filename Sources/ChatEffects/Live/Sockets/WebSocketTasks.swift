// WebSocket calls by the system's URL session, on Apple's systems: also encrypted ones, with the system's proxies and
// rights. The calls of the system have been type-checked against the declarations of Foundation on Linux, and have not
// run yet. A function below maps the end of a task to the end of its call, and is tested everywhere.
//
// The system answers pings and reports none. So the signs of life are the answers to pings of our own, which also
// reveal a connection that has died unnoticed.

import ChatDomain
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if canImport(Darwin)
    /// The WebSocket calls that are under way. Methods may be called on any thread; the session calls back on a queue
    /// of its own.
    final class WebSocketTasks: NSObject, URLSessionWebSocketDelegate, Sendable {
        private let arrivals: Arrivals
        private let table = Locked(Table())

        /// The calls under way, by the names that the machine and the session have for them.
        private struct Table {
            var session: URLSession?
            var calls: [Int: CallNumber] = [:]
            var tasks: [CallNumber: URLSessionWebSocketTask] = [:]

            mutating func forget(_ call: CallNumber) -> URLSessionWebSocketTask? {
                guard let task = tasks.removeValue(forKey: call) else { return nil }
                calls[task.taskIdentifier] = nil
                return task
            }
        }

        /// The longest message that the system takes, 16 MiB. A message over the limit of a kept one is skipped up to
        /// this length; the system holds it in memory meanwhile. A longer one ends the connection.
        private static let takenLimit = 16 << 20
        /// A ping every 30 s: three within the 90 s of silence after which a connection counts as lost (C1).
        private static let pingSeconds = 30.0

        init(_ arrivals: Arrivals) {
            self.arrivals = arrivals
            super.init()
        }

        /// Begins a call.
        func open(_ call: CallNumber, _ address: ServerAddress, path: ExactText) {
            guard let url = address.url(path, isSocket: true) else {
                arrivals.add(.arrived(call, .ended(.failed(.malformed))))
                return
            }
            let task = table.withLock { table in
                let session = table.session ?? .forCalls(delegate: self)
                table.session = session
                let task = session.webSocketTask(with: url)
                task.maximumMessageSize = Self.takenLimit
                table.calls[task.taskIdentifier] = call
                table.tasks[call] = task
                return task
            }
            task.resume()
        }

        /// Sends a text.
        func send(_ call: CallNumber, _ text: [UInt8]) {
            guard let task = table.withLock({ $0.tasks[call] }) else { return }
            task.send(.string(String(decoding: text, as: UTF8.self))) { [weak self] error in
                if let error { self?.broke(task, error) }
            }
        }

        /// Ends a call; nothing of it arrives from now on. A peer that has answered the handshake gets a Close frame.
        func close(_ call: CallNumber) {
            guard let task = table.withLock({ $0.forget(call) }) else { return }
            if task.response == nil { task.cancel() } else { task.cancel(with: .normalClosure, reason: nil) }
        }

        /// Ends all calls, and releases the session, which otherwise holds its delegate for ever.
        func closeAll() {
            let session = table.withLock { table in
                defer { table = Table() }
                return table.session
            }
            session?.invalidateAndCancel()
        }

        // MARK: One task

        private func call(of task: URLSessionTask) -> CallNumber? {
            table.withLock { $0.calls[task.taskIdentifier] }
        }

        /// Passes an arrival on; returns `false` if the call is over, or has ended because too much waits.
        private func tell(_ task: URLSessionWebSocketTask, _ arrival: Arrival) -> Bool {
            guard let call = call(of: task) else { return false }
            if arrivals.add(.arrived(call, arrival)) { return true }
            end(task, .failed(.tooLarge))
            return false
        }

        /// Ends the call of a task; a call that is over has no end to report.
        private func end(_ task: URLSessionTask, _ reason: CallEnd) {
            guard let call = call(of: task), let task = table.withLock({ $0.forget(call) }) else { return }
            task.cancel()
            arrivals.add(.arrived(call, .ended(reason)))
        }

        /// Takes the next message, and continues after it.
        private func receive(_ task: URLSessionWebSocketTask) {
            task.receive { [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let message): if tell(task, .message(message)) { receive(task) }
                case .failure(let error): broke(task, error)
                }
            }
        }

        /// A connection that the server has closed has an end of its own, which the session reports next.
        private func broke(_ task: URLSessionWebSocketTask, _ error: any Error) {
            if task.closeCode == .invalid { end(task, task.end(error)) }
        }

        /// Pings while the call lasts and the peer answers.
        private func ping(_ task: URLSessionWebSocketTask) {
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.pingSeconds) { [weak self, weak task] in
                guard let self, let task, call(of: task) != nil else { return }
                task.sendPing { [weak self, weak task] error in
                    guard let self, let task, error == nil, tell(task, .signOfLife) else { return }
                    ping(task)
                }
            }
        }

        // MARK: The session's calls

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
            didOpenWithProtocol protocol: String?
        ) {
            guard tell(webSocketTask, .opened) else { return }
            receive(webSocketTask)
            ping(webSocketTask)
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
            didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
        ) {
            end(
                webSocketTask,
                CallEnd(closeCode: Int64(closeCode.rawValue), reason: reason ?? Data(), nil, error: nil))
        }

        /// No handshake is redirected: it is meant for one host, and the end of the call reports the redirect.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
            end(task, CallEnd(closeCode: 0, reason: Data(), response, error: nil))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            guard let task = task as? URLSessionWebSocketTask else { return }
            end(task, task.end(error))
        }
    }

    extension URLSessionWebSocketTask {
        /// The end of the task.
        fileprivate func end(_ error: (any Error)?) -> CallEnd {
            CallEnd(
                closeCode: Int64(closeCode.rawValue), reason: closeReason ?? Data(),
                response as? HTTPURLResponse, error: error)
        }
    }

    extension Arrival {
        /// A message that the system has taken. Only a text is kept; bytes are a sign of life.
        fileprivate static func message(_ message: URLSessionWebSocketTask.Message) -> Arrival {
            guard case .string(let text) = message else { return .signOfLife }
            let isKept = text.utf8.count <= WebSocketPolicy.defaultMessageLimit
            return isKept ? .text(Array(text.utf8)) : .tooLong
        }
    }
#endif

extension CallEnd {
    /// The end of a WebSocket of the system: by a code of the server, by an answer to the handshake that is no upgrade,
    /// or by the system's error. A code that is never on a wire, such as 1006, means that the server has sent none.
    init(closeCode: Int64, reason: Data, _ response: HTTPURLResponse?, error: (any Error)?) {
        if WebSocketCloseCode.isLegal(closeCode) || closeCode == WebSocketCloseCode.none {
            self = .closed(code: closeCode, reason: ExactText(decoding: Array(reason)))
        } else if let response, response.statusCode != 101 {
            let status = Int64(response.statusCode)
            let headers = response.headers
            if (300...399).contains(status),
                let place = headers.first(where: { $0.name == "location" })?.value
            {
                self = .redirected(status, to: URL.shown(place, from: response.url))
            } else {
                self = .refused(status: status, retryAfter: HTTPAnswer.retryAfter(headers), message: "")
            }
        } else {
            self = .failed(error.map { CallFailure($0) } ?? .lost)
        }
    }
}
