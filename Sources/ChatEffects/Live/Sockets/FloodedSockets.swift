// Ends a connection of the system's URL session from outside, where that cannot end it itself: on Linux all its sessions
// share one thread, and a server that sends faster than the thread reads, for instance a body that grows when it is
// decompressed, keeps it from ever looking at a cancellation or at another request.
//
// A connection is broken only if its peer is the server of a call that is over, and if much that it has sent waits unread.
// That may be another call to the same server; it ends as lost.

#if !canImport(Darwin)
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The connections of this process by their peers.
    enum FloodedSockets {
        /// The unread bytes from which a connection counts as flooded: what the session reads at once.
        private static let backlog: Int32 = 16_384

        /// Breaks the flooded connections to a server. The look-up of its name blocks.
        static func breakAll(host: String, port: Int) {
            let peers = addresses(host, port)
            guard !peers.isEmpty,
                let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            else { return }
            for descriptor in names.compactMap({ Int32($0) }) {
                guard let peer = peer(of: descriptor), peers.contains(peer) else { continue }
                var unread: Int32 = 0
                guard ioctl(descriptor, UInt(FIONREAD), &unread) == 0, unread >= backlog else { continue }
                // Dissolves the connection: what waits is thrown away, the peer gets a reset, and the next read fails. An
                // end instead of a failure would be taken for a complete answer.
                var nobody = sockaddr()
                nobody.sa_family = sa_family_t(AF_UNSPEC)
                _ = connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
            }
        }

        /// The addresses of a server.
        private static func addresses(_ host: String, _ port: Int) -> Set<[UInt8]> {
            var hints = addrinfo()
            hints.ai_flags = AI_NUMERICSERV
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
            defer { freeaddrinfo(list) }
            var found: Set<[UInt8]> = []
            var next = list
            while let info = next?.pointee {
                if let address = info.ai_addr {
                    found.insert(
                        identity(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))))
                }
                next = info.ai_next
            }
            return found
        }

        /// The peer of a connected socket; nil for anything else.
        private static func peer(of descriptor: Int32) -> [UInt8]? {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutableBytes(of: &storage) { bytes in
                guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    getpeername(descriptor, address, &length) == 0
                else { return nil }
                return identity(
                    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).prefix(Int(length))))
            }
        }

        /// What makes an address: family, port and number, without the flow and the scope of IPv6.
        private static func identity(_ address: UnsafeRawBufferPointer) -> [UInt8] {
            switch address.count {
            case MemoryLayout<sockaddr_in>.size: Array(address.prefix(8))
            case MemoryLayout<sockaddr_in6>.size: Array(address.prefix(4)) + Array(address[8..<24])
            default: []
            }
        }
    }
#endif
