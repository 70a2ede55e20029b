// HTTP requests by the system's URL session. Answers come through its delegate, piece by piece (`bytes(for:)` does not
// exist on Linux). The session has no cache, no cookies and no time limit of its own: the reducers own all waiting.
// A redirect to another host carries no header that the app has set, because a token belongs to one host.

import ChatDomain
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The HTTP requests that are under way. Methods may be called on any thread; the session calls back on a queue of its
/// own.
final class HTTPCalls: NSObject, URLSessionDataDelegate, Sendable {
    private let arrivals: Arrivals
    private let table = Locked(Table())

    /// The requests under way, by the names that the machine and the session have for them.
    private struct Table {
        var session: URLSession?
        var calls: [Int: CallNumber] = [:]
        var tasks: [CallNumber: URLSessionDataTask] = [:]
        var redirects: [CallNumber: Int] = [:]

        mutating func forget(_ call: CallNumber) -> URLSessionDataTask? {
            redirects[call] = nil
            guard let task = tasks.removeValue(forKey: call) else { return nil }
            calls[task.taskIdentifier] = nil
            return task
        }
    }

    /// The greatest number of redirects, as in browsers (Fetch standard, HTTP-redirect fetch).
    private static let redirectLimit = 20

    init(_ arrivals: Arrivals) {
        self.arrivals = arrivals
        super.init()
    }

    /// Begins a request.
    func open(_ call: CallNumber, _ url: URL, method: ExactText, headers: [Header], body: [UInt8]) {
        var request = URLRequest(url: url)
        request.httpMethod = method.string
        for header in headers {
            request.setValue(header.value.string, forHTTPHeaderField: header.name.string)
        }
        if !body.isEmpty { request.httpBody = Data(body) }
        request.timeoutInterval = URLSession.silenceLimit
        let asked = request
        let task = table.withLock { table in
            let session = table.session ?? .forCalls(delegate: self)
            table.session = session
            let task = session.dataTask(with: asked)
            table.calls[task.taskIdentifier] = call
            table.tasks[call] = task
            return task
        }
        task.resume()
    }

    /// Cancels a request. Nothing of it arrives from now on.
    func close(_ call: CallNumber) {
        table.withLock { $0.forget(call) }?.cancel()
    }

    /// Cancels everything, and releases the session, which otherwise holds its delegate for ever.
    func closeAll() {
        let session = table.withLock { table in
            defer { table = Table() }
            return table.session
        }
        session?.invalidateAndCancel()
    }

    private func call(of task: URLSessionTask) -> CallNumber? {
        table.withLock { $0.calls[task.taskIdentifier] }
    }

    /// Passes an arrival on; a call with too many waiting bytes ends.
    private func tell(_ call: CallNumber, _ arrival: Arrival) {
        if arrivals.add(.arrived(call, arrival)) { return }
        close(call)
        arrivals.add(.arrived(call, .ended(.failed(.tooLarge))))
    }

    // MARK: The session's calls

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let call = call(of: dataTask), let response = response as? HTTPURLResponse else {
            return completionHandler(.cancel)
        }
        tell(call, .head(status: Int64(response.statusCode), headers: response.headers))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let call = call(of: dataTask) else { return }
        tell(call, .body(Array(data)))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        guard let call = call(of: task), totalBytesExpectedToSend > 0 else { return }
        tell(call, .sent(totalBytesSent, of: totalBytesExpectedToSend))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let call = call(of: task) else { return completionHandler(nil) }
        let isLoop = table.withLock { table in
            table.redirects[call, default: 0] += 1
            return table.redirects[call, default: 0] > HTTPCalls.redirectLimit
        }
        let from = task.originalRequest?.url
        // Without a new request, the redirect itself is the answer, and the codec names its status.
        guard !isLoop, let to = request.url, from?.scheme == to.scheme || to.scheme == "https" else {
            return completionHandler(nil)
        }
        guard from?.host != to.host || from?.port != to.port else { return completionHandler(request) }
        var request = request
        for name in (request.allHTTPHeaderFields ?? [:]).keys
        where !["accept", "content-type"].contains(name.lowercased()) {
            request.setValue(nil, forHTTPHeaderField: name)
        }
        completionHandler(request)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let call = call(of: task) else { return }
        // A call that was closed meanwhile has no end to report.
        guard table.withLock({ $0.forget(call) }) != nil else { return }
        arrivals.add(.arrived(call, .ended(error.map { .failed(CallFailure($0)) } ?? .completed)))
    }
}

extension URLSession {
    /// A day without a byte: longer than each deadline of a reducer.
    static let silenceLimit = 86_400.0

    /// A session that stores nothing and has no time limit. It calls its delegate on a queue of its own, one call at a
    /// time.
    static func forCalls(delegate: any URLSessionDelegate) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = silenceLimit
        // One connection for each question that a person may have open: streams must not wait for each other.
        configuration.httpMaximumConnectionsPerHost = 16
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }
}

extension HTTPURLResponse {
    /// The header fields, sorted by name.
    var headers: [Header] {
        var headers: [Header] = []
        for (name, value) in allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            headers.append(Header(ExactText(name.lowercased()), ExactText(value)))
        }
        return headers.sorted { $0.name < $1.name }
    }
}

extension CallFailure {
    /// The failure of a request, by the system's error. An error without a case of its own is a lost connection, as
    /// Linux reports one that breaks in the middle.
    init(_ error: any Error) {
        switch (error as? URLError)?.code {
        case .notConnectedToInternet?, .dataNotAllowed?, .internationalRoamingOff?: self = .offline
        case .cannotFindHost?, .cannotConnectToHost?, .dnsLookupFailed?, .badURL?, .unsupportedURL?:
            self = .unreachable
        case .timedOut?: self = .timedOut
        case .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
            .serverCertificateHasUnknownRoot?, .serverCertificateNotYetValid?, .clientCertificateRejected?,
            .clientCertificateRequired?, .appTransportSecurityRequiresSecureConnection?:
            self = .insecure
        case .dataLengthExceedsMaximum?: self = .tooLarge
        case .badServerResponse?, .cannotParseResponse?, .cannotDecodeContentData?, .cannotDecodeRawData?,
            .httpTooManyRedirects?:
            self = .malformed
        // Apple's systems report a WebSocket message over the limit by this code.
        default: self = (error as? POSIXError)?.code == .EMSGSIZE ? .tooLarge : .lost
        }
    }
}
