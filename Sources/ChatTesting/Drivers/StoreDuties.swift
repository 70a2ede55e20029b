// The duties of a store (RecordStore.swift) as a check. It takes every operation and every answer, in their order, and
// each end of the process, and reports each duty that an answer breaks. It keeps the possible contents of the records:
// there are several after a failed operation, and after one that a dying process got no answer to. `trial` draws
// operations for a store of your own.

import ChatDomain
import ChatEffects

/// Checks a store against its duties. It begins with an empty store.
public struct StoreDuties: Sendable {
    /// A duty that is broken.
    public enum Breach: Hashable, Sendable {
        /// An answer to no pending operation: a second one, or one without an operation.
        case unknownTicket(StorageTicket)
        /// An answer of the wrong kind, or a save that should have been refused.
        case wrongAnswer(StorageTicket)
        /// An answer before that of an earlier operation on the same record.
        case outOfOrder(StorageTicket)
        /// An operation on a record with another operation under way. It breaks the loop's duty, not the store's.
        case together(StorageTicket)
        /// An operation that had to be answered by now.
        case unanswered(StorageTicket)
        /// A record that is reported as missing, although it is there: the load of an unreadable record has to fail, and
        /// so has a payload.
        case missing(RecordPath)
        /// A content that the record cannot have.
        case wrongContent(RecordPath)
        /// A secret where others can see it (L10).
        case secretShown(RecordPath)
        /// Another secret than the one that this process has saved or loaded.
        case wrongSecret(RecordPath)
    }

    private struct Pending {
        let operation: DriverOperation
        let ticket: StorageTicket?
        let path: RecordPath

        func overlaps(_ other: RecordPath) -> Bool { path.leads(to: other) || other.leads(to: path) }
    }

    /// The possible contents of each record; a record without an entry is missing.
    private typealias World = [RecordPath: [RecordContent?]]

    /// The disks that would explain all answers so far: one, until a process dies with operations under way.
    private var worlds: [World] = [[:]]
    /// The secrets that a process may use.
    private var vault: [RecordPath: [Secret]] = [:]
    private var pending: [Pending] = []
    /// The broken duties so far, in order.
    public private(set) var breaches: [Breach] = []

    /// Creates a check of an empty store.
    public init() {}

    /// Whether an operation has no answer yet.
    public var isWaiting: Bool { pending.contains { $0.ticket != nil } }

    // MARK: Events

    /// Notes an operation for the store.
    public mutating func note(_ operation: DriverOperation) {
        let ticket: StorageTicket?
        let path: RecordPath
        switch operation {
        case .load(let of, let from): (ticket, path) = (of, from)
        case .save(let of, let to, _): (ticket, path) = (of, to)
        case .erase(let of, let from): (ticket, path) = (of, from)
        case .setAside(let from): (ticket, path) = (nil, from)
        case .open, .send, .close, .haptic: return
        }
        if let ticket, isBusy(path) { breaches.append(.together(ticket)) }
        pending.append(Pending(operation: operation, ticket: ticket, path: path))
        setAside()
    }

    /// Notes an answer. Arrivals on calls are not the store's.
    public mutating func note(_ outcome: Outcome) {
        let ticket: StorageTicket
        switch outcome {
        case .loaded(let of, _), .missing(let of), .saved(let of), .erased(let of), .failed(let of, _):
            ticket = of
        case .arrived: return
        }
        guard let index = pending.firstIndex(where: { $0.ticket == ticket }) else {
            return breaches.append(.unknownTicket(ticket))
        }
        let answered = pending.remove(at: index)
        if pending[..<index].contains(where: { $0.ticket != nil && $0.overlaps(answered.path) }) {
            breaches.append(.outOfOrder(ticket))
        }
        take(outcome, answered.operation, ticket)
        setAside()
    }

    /// Notes the secret that the store returns for a payload at a path.
    public mutating func note(secret: Secret?, at path: RecordPath) {
        guard !isBusy(path) else { return }
        let known = vault[path] ?? []
        if secret.map({ !known.contains($0) }) ?? !known.isEmpty { breaches.append(.wrongSecret(path)) }
    }

    /// Notes the plain record that the store returns for a payload at a path; nil if it returns none. A store that throws
    /// has said nothing.
    public mutating func note(bytes: [UInt8]?, at path: RecordPath) {
        guard !isBusy(path) else { return }
        let seen = bytes.map(RecordContent.bytes)
        guard path.protection == .plain else {
            if seen != nil { breaches.append(.secretShown(path)) }
            return
        }
        narrow(path, to: seen, or: seen == nil ? .missing(path) : .wrongContent(path)) { $0 == seen }
    }

    /// Notes the end of the process. The operations without an answer are carried out up to one of them, in their
    /// order; the next process has no secret in use.
    public mutating func noteDeath() {
        var explained = worlds
        for operation in pending {
            for index in worlds.indices { Self.carryOut(operation.operation, in: &worlds[index]) }
            for world in worlds where !explained.contains(world) { explained.append(world) }
        }
        (worlds, pending, vault) = (explained, [], [:])
    }

    /// Checks that every operation has been answered by now.
    public mutating func expectAnswers() {
        for case let ticket? in pending.map(\.ticket) { breaches.append(.unanswered(ticket)) }
    }

    // MARK: Consequences

    private func isBusy(_ path: RecordPath) -> Bool {
        pending.contains { $0.ticket != nil && $0.overlaps(path) }
    }

    private mutating func take(_ outcome: Outcome, _ operation: DriverOperation, _ ticket: StorageTicket) {
        switch (operation, outcome) {
        case (.load(_, let path), .loaded(_, let bytes)): takeLoad(of: path, bytes)
        case (.load(_, let path), .missing):
            narrow(path, to: nil, or: .missing(path)) { $0 == nil }
        case (.load, .failed): break
        case (.save(_, let path, let content), .saved):
            guard path.fits(content) else { return breaches.append(.wrongAnswer(ticket)) }
            keep(content, at: path)
            for index in worlds.indices { Self.carryOut(operation, in: &worlds[index]) }
        case (.save(_, let path, let content), .failed):
            guard path.fits(content) else { return }
            keep(content, at: path)
            for index in worlds.indices { worlds[index][path, default: [nil]].append(content) }
        case (.erase(_, let path), .erased):
            forgetSecrets(from: path)
            for index in worlds.indices { Self.carryOut(operation, in: &worlds[index]) }
        case (.erase(_, let path), .failed):
            forgetSecrets(from: path)
            for index in worlds.indices {
                for below in worlds[index].keys where path.leads(to: below) {
                    worlds[index][below]?.append(nil)
                }
            }
        default: breaches.append(.wrongAnswer(ticket))
        }
    }

    private mutating func takeLoad(of path: RecordPath, _ bytes: [UInt8]) {
        guard path.protection == .secret else {
            return narrow(path, to: .bytes(bytes), or: .wrongContent(path)) { $0 == .bytes(bytes) }
        }
        if !bytes.isEmpty { breaches.append(.secretShown(path)) }
        narrow(path, to: nil, or: .wrongContent(path)) { $0 != nil }
        guard vault[path] == nil else { return }
        vault[path] = worlds.flatMap { $0[path] ?? [] }.compactMap { content in
            if case .secret(let secret)? = content { secret } else { nil }
        }
    }

    /// Remembers a secret, which is usable even if its save failed (P4).
    private mutating func keep(_ content: RecordContent, at path: RecordPath) {
        if case .secret(let secret) = content { vault[path] = [secret] }
    }

    private mutating func forgetSecrets(from path: RecordPath) {
        for below in vault.keys where path.leads(to: below) { vault[below] = nil }
    }

    /// A record that is set aside may be gone, without an answer.
    private mutating func setAside() {
        let waiting = pending
        pending = []
        for operation in waiting {
            guard operation.ticket == nil,
                !waiting.contains(where: { $0.ticket != nil && $0.overlaps(operation.path) })
            else {
                pending.append(operation)
                continue
            }
            for index in worlds.indices { worlds[index][operation.path]?.append(nil) }
        }
    }

    /// Keeps the worlds in which a record has the seen content. If there are none, the duty is broken, and the record
    /// has it.
    private mutating func narrow(
        _ path: RecordPath, to seen: RecordContent?, or breach: Breach, _ matches: (RecordContent?) -> Bool
    ) {
        var left: [World] = []
        for var world in worlds {
            let contents = (world[path] ?? [nil]).filter(matches)
            guard !contents.isEmpty else { continue }
            world[path] = contents
            left.append(world)
        }
        guard left.isEmpty else { return worlds = left }
        breaches.append(breach)
        for index in worlds.indices { worlds[index][path] = [seen] }
    }

    private static func carryOut(_ operation: DriverOperation, in world: inout World) {
        switch operation {
        case .save(_, let path, let content): if path.fits(content) { world[path] = [content] }
        case .erase(_, let path):
            for below in world.keys where path.leads(to: below) { world[below] = [nil] }
        case .setAside(let path): world[path]?.append(nil)
        case .load, .open, .send, .close, .haptic: break
        }
    }
}
