// A real server instead of the one in the process: its backend, its address, and its key. A key comes from the
// environment or a file and never from the command line, where other people's programs can read it.

import ChatDomain
import ChatEffects
import Foundation

/// The settings of the real server.
struct RealServer {
    let backend: BackendName
    let address: ServerAddress
    let model: ExactText
    let key: Secret?
    /// The key that names the project; no secret, since every app of the project ships it.
    let projectKey: ExactText?

    /// Reads the options. Throws a sentence for a missing or wrong one.
    init(_ options: Options, _ name: String, environment: [String: String]) throws(UsageError) {
        guard let backend = BackendName(rawValue: name) else {
            let names = BackendName.allCases.map { $0.rawValue }.joined(separator: ", ")
            throw UsageError("there is no backend “\(name)”; there are \(names)")
        }
        self.backend = backend
        guard let text = options.url ?? backend.usualAddress else {
            throw UsageError("--backend \(name) needs --url with the address of the server")
        }
        do throws(ServerAddress.Problem) {
            address = try ServerAddress(text, allowsUnencrypted: options.allowsUnencrypted)
        } catch {
            throw UsageError(Self.sentence(error, backend))
        }
        guard !address.isEncrypted || backend.kind == .streams || Self.hasEncryptedSockets else {
            throw UsageError("there is no encrypted WebSocket on this system: \(Self.wayOut)")
        }
        switch (backend.modelOption, options.model) {
        case (.needed, nil):
            throw UsageError("--backend \(name) needs --model with the name of the model")
        case (.none, _?): throw UsageError("--backend \(name) takes no --model")
        default: model = ExactText(options.model ?? "")
        }
        // A replay builds the app of a recording, which is that of Clawline.
        guard backend == .clawline || options.recording == nil else {
            throw UsageError("a chat with --backend \(name) cannot be recorded")
        }
        guard backend.kind == .streams else {
            guard options.keyFile == nil else {
                let reason = backend.kind == .paired ? "it signs in by pairing" : "it asks for none"
                throw UsageError("--backend \(name) takes no --key-file: \(reason)")
            }
            key = nil
            projectKey = nil
            return
        }
        key = try Self.key(options, backend, environment)
        projectKey = backend == .coach ? try Self.key(environment, Self.projectKeyVariable) : nil
        // A server on this device rarely needs a key.
        guard key != nil || address.isLoopback else {
            throw UsageError("there is no key: set \(backend.usualKeyVariable) or use --key-file")
        }
    }

    /// The sentences of the program. A server of streams knows no sign-in: it refuses a key, which no command changes.
    var wording: Wording {
        var wording = Wording.neutral
        guard backend.kind == .streams else { return wording }
        let (refusal, way) = key == nil ? ("wants a key", "one") : ("refuses the key", "another")
        wording.signInAgain = ExactText(
            "The server \(refusal). Start again with \(way) (\(backend.usualKeyVariable) or --key-file).")
        return wording
    }

    /// The variable of the environment with the key that names the coach's project.
    private static let projectKeyVariable = "CHAT_PROJECT_KEY"

    /// The streams of the server; `nil` if it answers over a connection.
    var streams: NamedStreams? {
        NamedStreams(
            backend, model: model, hasKey: key != nil, projectKey: projectKey,
            dialect: address.host == "api.mistral.ai" ? .mistral : .usual)
    }

    #if canImport(Darwin)
        private static let hasEncryptedSockets = true
    #else
        private static let hasEncryptedSockets = false
    #endif

    /// What a person can do without an encrypted WebSocket.
    private static let wayOut =
        "use ws:// to a server or a proxy for TLS on this device, or, in a network that you trust, ws:// with "
        + "--allow-unencrypted"

    /// What is wrong with `--url`, and what to do. The address is not repeated: it may hold a password.
    private static func sentence(_ problem: ServerAddress.Problem, _ backend: BackendName) -> String {
        switch problem {
        case .notEncrypted where backend.kind == .streams:
            "--url is not encrypted: use https://, or, in a network that you trust, add --allow-unencrypted"
        case .notEncrypted where hasEncryptedSockets:
            "--url is not encrypted: use wss://, or, in a network that you trust, add --allow-unencrypted"
        case .notEncrypted: "--url is not encrypted: \(wayOut)"
        case .notAnAddress, .holdsCredentials:
            "--url: \(problem.description.prefix(1).lowercased())\(problem.description.dropFirst().dropLast())"
        }
    }

    /// The longest key, in bytes.
    private static let keyLimit = 4_096

    /// The beginning of a file, more than the longest key; nil if it cannot be read. The file may be a pipe, which has no
    /// length, and which another program writes bit by bit.
    private static func beginning(of path: String) -> [UInt8]? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        do {
            while bytes.count <= 2 * keyLimit, let part = try file.read(upToCount: keyLimit), !part.isEmpty {
                bytes += part
            }
        } catch {
            return nil
        }
        return bytes
    }

    private static func key(
        _ options: Options, _ backend: BackendName, _ environment: [String: String]
    ) throws(UsageError) -> Secret? {
        guard let file = options.keyFile else {
            for variable in backend.keyVariables {
                if let key = try key(environment, variable) { return Secret(key) }
            }
            return nil
        }
        guard let bytes = beginning(of: file) else {
            throw UsageError("the key file \(file) cannot be read")
        }
        return Secret(try key(ExactText(decoding: bytes), "the key file \(file)"))
    }

    /// The key in a variable of the environment; nil for a variable that is not set, or holds only blanks.
    private static func key(
        _ environment: [String: String], _ variable: String
    ) throws(UsageError) -> ExactText? {
        let text = ExactText(environment[variable] ?? "").trimmed
        return try text.isEmpty ? nil : key(text, variable)
    }

    /// The key in a text. A line end after it comes from an editor. Several lines are no key, and a header takes none.
    private static func key(_ text: ExactText, _ origin: String) throws(UsageError) -> ExactText {
        let key = text.trimmed
        guard !key.isEmpty, key.withoutControlCharacters == key, key.byteCount <= keyLimit else {
            throw UsageError("\(origin) holds no key")
        }
        return key
    }
}

/// A store in front of another that already has the signed-in person, for a server that asks for no name. The key stays in the
/// memory of the process.
struct SignedInStore<Store: RecordStore>: RecordStore {
    private var store: Store
    private let known: [(path: RecordPath, content: RecordContent)]

    static var user: UserID { "you" }

    init(_ store: sending Store, key: Secret?, wall: WallTime) {
        self.store = store
        let handle = SecretHandle("key")
        let credentials = Pairing.Record.credentials(
            Credentials(user: Self.user, isAdmin: false, secret: handle))
        known = [
            (Pairing.Key.credentials.path, credentials.content(written: wall)),
            (Pairing.Key.secret(handle).path, .secret(key ?? Secret(""))),
        ]
    }

    mutating func carryOut(_ operation: DriverOperation) -> Outcome? {
        switch operation {
        case .load(let ticket, let path):
            switch known.first(where: { $0.path == path })?.content {
            case .bytes(let bytes): return .loaded(ticket, bytes)
            case .secret: return .loaded(ticket, [])
            case nil: return store.carryOut(operation)
            }
        case .save(let ticket, let path, _):
            return known.contains { $0.path == path } ? .saved(ticket) : store.carryOut(operation)
        default: return store.carryOut(operation)
        }
    }

    func secret(at path: RecordPath) -> Secret? {
        if case .secret(let secret) = known.first(where: { $0.path == path })?.content { return secret }
        return store.secret(at: path)
    }

    func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? { try store.bytes(at: path) }
}
