// The calls of the system for sockets, which differ between Darwin and Linux in small ways. No other file uses them, but
// FloodedSockets.swift for sockets that are not ours.

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system's sockets.
package enum SystemSocket {
    /// Why no connection was made.
    package enum Failure: Error, Hashable {
        /// This device has no network.
        case offline
        /// The host is unknown, or nothing answers there.
        case unreachable

        /// The failure of a host, by the reason why each of its addresses was not reached. A device with a network may
        /// lack one family of addresses.
        init(of errors: [Int32]) {
            let isOffline = errors.allSatisfy { $0 == ENETUNREACH || $0 == ENETDOWN }
            self = isOffline && !errors.isEmpty ? .offline : .unreachable
        }
    }

    /// The system's time for the last address, in seconds: as long as the features wait.
    private static let connectSeconds = 10
    /// The time for an address before another, in seconds: a handshake over the slowest networks takes three.
    private static let firstConnectSeconds = 3

    /// Connects on a thread of its own, because a look-up and a handshake block: on a thread of the system's pool they
    /// would hold up the tasks of the app.
    static func connect(
        host: String, port: Int, then answer: @escaping @Sendable (Result<Int32, Failure>) -> Void
    ) {
        DispatchQueue(label: "chat.connect").async {
            answer(Result { () throws(Failure) in try connect(host: host, port: port) })
        }
    }

    /// Connects to the first address of a host that answers. Blocks.
    package static func connect(host: String, port: Int) throws(Failure) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = streamType
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else { throw status == EAI_AGAIN ? .offline : .unreachable }
        var errors: [Int32] = []
        var address = list
        while let candidate = address {
            let info = candidate.pointee
            let descriptor = socket(info.ai_family, info.ai_socktype | closedInChildren, info.ai_protocol)
            if descriptor >= 0 {
                prepare(descriptor)
                var limit = timeval()
                limit.tv_sec = info.ai_next == nil ? connectSeconds : firstConnectSeconds
                set(descriptor, SO_SNDTIMEO, &limit)
                if connectSystem(descriptor, info.ai_addr, info.ai_addrlen) == 0
                    || errno == EINTR && isConnected(descriptor, within: limit.tv_sec)
                {
                    return descriptor
                }
                errors.append(errno)
                close(descriptor)
            }
            address = info.ai_next
        }
        throw Failure(of: errors)
    }

    /// Whether a connection is made in time; a signal has interrupted the call that makes it (connect, POSIX).
    private static func isConnected(_ descriptor: Int32, within seconds: Int) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var count: Int32
        repeat { count = poll(&wanted, 1, Int32(seconds) * 1_000) } while count < 0 && errno == EINTR
        guard count > 0 else { return false }
        var reason: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &reason, &size) == 0 else { return false }
        errno = reason
        return reason == 0
    }

    /// Listens at a numeric address. Returns nil, with the reason in `errno`, if that is not possible.
    package static func listen(address: String, port: Int) -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = streamType
        hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &list) == 0, let info = list?.pointee else {
            errno = EADDRNOTAVAIL
            return nil
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(info.ai_family, info.ai_socktype | closedInChildren, info.ai_protocol)
        guard descriptor >= 0 else { return nil }
        prepare(descriptor)
        var yes: Int32 = 1
        set(descriptor, SO_REUSEADDR, &yes)
        // The greatest number that systems grant.
        guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listenSystem(descriptor, 128) == 0 else {
            let reason = errno
            close(descriptor)
            errno = reason
            return nil
        }
        makeNonblocking(descriptor)
        return descriptor
    }

    /// The port at which a descriptor listens.
    package static func port(of descriptor: Int32) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var name = [CChar](repeating: 0, count: 16)
        let status = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &length) == 0
                    ? getnameinfo(address, length, nil, 0, &name, socklen_t(name.count), NI_NUMERICSERV) : -1
            }
        }
        guard status == 0 else { return 0 }
        return Int(String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            ?? 0
    }

    /// The next connection of a listening descriptor. Returns nil, with the reason in `errno`, if there is none.
    package static func accept(_ descriptor: Int32) -> Int32? {
        let connection = acceptSystem(descriptor, nil, nil)
        guard connection >= 0 else { return nil }
        prepare(connection)
        return connection
    }

    // MARK: One socket

    /// Reads the available bytes, at most as many as the array holds. Returns nil with the reason in `errno`, and 0 at
    /// the end.
    static func receive(_ descriptor: Int32, into bytes: inout [UInt8]) -> Int? {
        let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count < 0 ? nil : count
    }

    /// Sends as many bytes as possible now. Returns nil with the reason in `errno`.
    static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int? {
        #if canImport(Darwin)
            let flags: Int32 = 0  // SO_NOSIGPIPE is set instead
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        let count = bytes.withUnsafeBytes { sendSystem(descriptor, $0.baseAddress, $0.count, flags) }
        return count < 0 ? nil : count
    }

    /// Tells the peer that nothing more is sent; it may go on.
    static func endSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    static func makeNonblocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    static func resetOnClose(_ descriptor: Int32) {
        var linger = linger()
        linger.l_onoff = 1
        set(descriptor, SO_LINGER, &linger)
    }

    package static func close(_ descriptor: Int32) { _ = closeSystem(descriptor) }

    /// Sets the options of a socket: no child inherits it, small frames are sent at once, and a closed peer is an error
    /// instead of a signal.
    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var yes: Int32 = 1
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
            set(descriptor, SO_NOSIGPIPE, &yes)
        #endif
    }

    private static func set<Value: BitwiseCopyable>(
        _ descriptor: Int32, _ option: Int32, _ value: inout Value
    ) {
        let size = socklen_t(MemoryLayout<Value>.size)
        _ = withUnsafeBytes(of: &value) { setsockopt(descriptor, SOL_SOCKET, option, $0.baseAddress, size) }
    }

    /// The flag of a new socket that no child inherits, not even one that begins at the same moment.
    private static var closedInChildren: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
            SOCK_CLOEXEC
        #else
            0
        #endif
    }

    private static var streamType: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }
}

// The system's functions have the names of the methods above.
#if canImport(Darwin)
    private let connectSystem = Darwin.connect
    private let listenSystem = Darwin.listen
    private let acceptSystem = Darwin.accept
    private let sendSystem = Darwin.send
    private let closeSystem = Darwin.close
#elseif canImport(Glibc)
    private let connectSystem = Glibc.connect
    private let listenSystem = Glibc.listen
    private let acceptSystem = Glibc.accept
    private let sendSystem = Glibc.send
    private let closeSystem = Glibc.close
#elseif canImport(Musl)
    private let connectSystem = Musl.connect
    private let listenSystem = Musl.listen
    private let acceptSystem = Musl.accept
    private let sendSystem = Musl.send
    private let closeSystem = Musl.close
#endif
