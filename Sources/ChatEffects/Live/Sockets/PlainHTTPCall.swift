// One HTTP call in the clear over a plain socket, for Linux, where the system's session stops the process at some bytes
// of a server (HTTPSession.swift). How an answer is read is a value (`HTTPAnswerReader`); this file has the connection,
// the upload and the redirects. Start with `begin`.
//
// Whatever a server sends, a call ends once, with a reason, and holds up no other: each has a queue and a connection of
// its own, which ends with the answer. An answer may come before the upload is complete, and ends it. What waits for
// the loop is limited by `Arrivals`. Proxies of the environment are not used.

#if !canImport(Darwin)
    import ChatDomain
    import Dispatch
    import Foundation
    import FoundationNetworking

    /// A call to an address in the clear.
    final class PlainHTTPCall: HTTPCarrier, @unchecked Sendable {
        private let number: CallNumber
        private let arrivals: Arrivals
        /// Called once before the end: with nothing when the call ends, or with what a session is to carry in its
        /// place.
        private let leave: @Sendable (URLRequest?, [UInt8]) -> Void
        private let queue = DispatchQueue(label: "chat.http.plain")
        private let isOver = Locked(false)

        // Used on the queue alone.
        private var request: URLRequest
        private var body: [UInt8]
        private var reader = HTTPAnswerReader(to: "")
        private var socket: StreamSocket?
        /// The bytes of the body that the socket has taken.
        private var taken = 0
        private var redirects = 0

        /// The bytes of the body that are handed to the socket at once; each is a step of the progress.
        private static let pieceSize = 65_536

        init(
            _ number: CallNumber, _ arrivals: Arrivals, _ request: URLRequest, _ body: [UInt8],
            leave: @escaping @Sendable (URLRequest?, [UInt8]) -> Void
        ) {
            (self.number, self.arrivals, self.leave) = (number, arrivals, leave)
            (self.request, self.body) = (request, body)
        }

        /// Begins the call.
        func begin() { queue.async { [self] in connect() } }

        /// Ends the call without a word; nothing of it arrives from now on.
        func abandon() {
            isOver.withLock { $0 = true }
            queue.async { [self] in socket?.close() }
        }

        // MARK: The request

        private func connect() {
            guard let (address, head) = addressAndHead else { return end(.failed(.malformed)) }
            SystemSocket.connect(host: address.host, port: address.port ?? 80) { [self] result in
                queue.async { [self] in connected(result, head) }
            }
        }

        private func connected(_ result: Result<Int32, SystemSocket.Failure>, _ head: [UInt8]) {
            switch result {
            case .failure(let failure): end(.failed(failure == .offline ? .offline : .unreachable))
            case .success(let descriptor):
                // The call was closed meanwhile.
                if isOver.withLock({ $0 }) { return SystemSocket.close(descriptor) }
                let socket = StreamSocket(descriptor, on: queue)
                self.socket = socket
                reader = HTTPAnswerReader(to: ExactText(request.httpMethod ?? ""))
                socket.start({ [weak self] in self?.take($0) }, sentAll: { [weak self] in self?.hasLeft() })
                taken = 0
                // The first piece goes with the head: a small request is one packet.
                upload(after: head)
            }
        }

        /// Sends the next piece of the body.
        private func upload(after head: [UInt8] = []) {
            let piece = body.dropFirst(taken).prefix(Self.pieceSize)
            taken += piece.count
            if socket?.write(head + piece) == true { hasLeft() }
        }

        /// Tells how much of the body has left. The next piece has its turn after what has come meanwhile: it may be
        /// the answer.
        private func hasLeft() {
            guard !body.isEmpty else { return }
            tell(.sent(Int64(taken), of: Int64(body.count)))
            if taken < body.count { queue.async { [self] in upload() } }
        }

        /// The server of the request, and its head as bytes; nil if a part is not legal in one.
        private var addressAndHead: (ServerAddress, [UInt8])? {
            guard let url = request.url, let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
            else { return nil }
            guard let method = request.httpMethod, let address = url.server else { return nil }
            let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
            let query = parts.percentEncodedQuery.map { "?" + $0 } ?? ""
            var own = [Header("Connection", "close"), Header("Accept-Encoding", "identity")]
            // RFC 9110, section 8.6: also for no body, where the method has a meaning for one.
            if !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) {
                own.append(Header("Content-Length", ExactText("\(body.count)")))
            }
            let given = (request.allHTTPHeaderFields ?? [:]).map { Header(ExactText($0), ExactText($1)) }
                .sorted { $0.name < $1.name }
            let head = HTTPRequestHead.bytes(
                ExactText(method), ExactText(path + query), host: ExactText(address.authority), own, given)
            return head.map { (address, $0) }
        }

        // MARK: The answer

        private func take(_ event: StreamSocket.Event) {
            switch event {
            case .bytes(let bytes):
                for arrival in reader.read(bytes) {
                    switch arrival {
                    case .head(let status, let headers) where Self.redirects.contains(status):
                        return follow(status, headers)
                    case .ended(let reason): return end(reason)
                    default: if !tell(arrival) { return end(.failed(.tooLarge)) }
                    }
                }
            case .ended(let isClean): if let reason = reader.finish(isClean: isClean) { end(reason) }
            }
        }

        /// The statuses that lead to another address (RFC 9110, section 15.4).
        private static let redirects: Set<Int64> = [301, 302, 303, 307, 308]

        /// Goes on at the address of a redirect, whose body is not read.
        private func follow(_ status: Int64, _ headers: [Header]) {
            socket?.close()
            redirects += 1
            let before = request
            let origin = before.url
            let location = headers.values("location").first ?? ""
            let url = location.isEmpty ? nil : URL(string: location.string, relativeTo: origin)?.absoluteURL
            let isLoop = redirects > URLRequest.redirectLimit
            guard let url, origin?.mayRedirect(to: url) == true, !isLoop
            else { return end(.redirected(status, to: URL.shown(location, from: origin), isLoop: isLoop)) }
            // As in browsers (Fetch standard, HTTP-redirect fetch).
            if status == 303 || status < 303 && request.httpMethod == "POST" {
                (request.httpMethod, body) = ("GET", [])
            }
            request.url = url
            request = request.redirected(from: before)
            guard url.scheme == "https" else { return connect() }
            leave(request, body)
        }

        /// Passes an arrival on, unless the call is over. Returns false if too much waits.
        @discardableResult
        private func tell(_ arrival: Arrival) -> Bool {
            isOver.withLock { [arrivals, number] in $0 || arrivals.add(.arrived(number, arrival)) }
        }

        private func end(_ reason: CallEnd) {
            socket?.close()
            isOver.withLock { [arrivals, number, leave] isOver in
                guard !isOver else { return }
                isOver = true
                leave(nil, [])
                arrivals.add(.arrived(number, .ended(reason)))
            }
        }
    }
#endif
