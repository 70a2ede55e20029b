// Storage on a medium that keeps bytes under paths: files, or a key chain. The medium reads and writes; this file alone
// decides the answers, and where the secrets of this process stay.
//
// Guarantees: every problem of the medium becomes an answer. A secret is in this store's memory and in no outcome
// (L10).

import ChatDomain

/// A medium that keeps records as bytes. Its methods return when they are done, durably.
protocol RecordMedium: ~Copyable {
    /// The reason of a failure.
    associatedtype Problem: StorageProblem

    /// Reads a record; nil if it does not exist.
    func read(_ path: RecordPath) throws(Problem) -> [UInt8]?

    /// Saves a record. After a problem, the record is its old or its new version.
    func write(_ bytes: [UInt8], to path: RecordPath) throws(Problem)

    /// Removes the records at and below a path, in either protection, and the copies set aside there.
    func erase(_ path: RecordPath) throws(Problem)

    /// Moves a record aside; a missing one is no problem.
    func setAside(_ path: RecordPath) throws(Problem)
}

/// A problem of a medium.
protocol StorageProblem: Error {
    /// The failure of the operation.
    var failure: StorageFailure { get }
}

/// Carries out storage operations on a medium.
struct MediumStore<Medium: RecordMedium & ~Copyable>: ~Copyable {
    private let medium: Medium
    /// The secrets that this process has saved or loaded. A secret whose save failed stays usable (P4).
    private var vault = RecordMap<Secret>()

    init(_ medium: consuming Medium) { self.medium = medium }

    func secret(at path: RecordPath) -> Secret? { vault[path] }

    func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? {
        guard path.protection == .plain else { return nil }
        do throws(Medium.Problem) { return try medium.read(path) } catch { throw error.failure }
    }

    mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
        switch operation {
        case .load(let ticket, let path): return load(path, ticket)
        case .save(let ticket, let path, let content): return save(content, path, ticket)
        case .erase(let ticket, let path): return erase(path, ticket)
        case .setAside(let path):
            // No caller waits for the result; a damaged record that stays is reported again at the next load.
            try? medium.setAside(path)
            return nil
        case .open, .send, .close, .haptic: return nil
        }
    }

    private mutating func load(_ path: RecordPath, _ ticket: StorageTicket) -> Outcome {
        do throws(Medium.Problem) {
            guard let bytes = try medium.read(path) else { return .missing(ticket) }
            if path.protection == .plain { return .loaded(ticket, bytes) }
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.utf8.elementsEqual(bytes) else {
                try medium.setAside(path)
                return .failed(ticket, .damaged)
            }
            // A secret in memory is newer than the stored one.
            if vault[path] == nil { vault[path] = Secret(ExactText(text)) }
            return .loaded(ticket, [])
        } catch {
            return .failed(ticket, error.failure)
        }
    }

    private mutating func save(
        _ content: RecordContent, _ path: RecordPath, _ ticket: StorageTicket
    ) -> Outcome {
        guard path.fits(content) else { return .failed(ticket, .unavailable) }
        do throws(Medium.Problem) {
            switch content {
            case .bytes(let bytes): try medium.write(bytes, to: path)
            case .secret(let secret):
                vault[path] = secret
                try medium.write(Array(secret.reveal().utf8), to: path)
            }
            return .saved(ticket)
        } catch {
            return .failed(ticket, error.failure)
        }
    }

    private mutating func erase(_ path: RecordPath, _ ticket: StorageTicket) -> Outcome {
        vault.removeAll(from: path)
        do throws(Medium.Problem) {
            try medium.erase(path)
            return .erased(ticket)
        } catch {
            return .failed(ticket, error.failure)
        }
    }
}
