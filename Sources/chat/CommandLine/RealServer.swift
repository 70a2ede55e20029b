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
            throw UsageError(
                error == .notEncrypted
                    ? "\(text) is not encrypted: use https:// or wss://, or add --allow-unencrypted"
                    : "--url: \(error.description.prefix(1).lowercased())\(error.description.dropFirst().dropLast())"
            )
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
            guard options.keyFile == nil else { throw UsageError("--backend \(name) takes no --key-file") }
            key = nil
            projectKey = nil
            return
        }
        key = try Self.key(options, backend, environment)
        projectKey = environment[Self.projectKeyVariable].map { ExactText($0) }
        // A server on this device rarely needs a key.
        guard key != nil || address.isLoopback else {
            throw UsageError(
                "there is no key: set \(backend.keyVariables.last ?? "CHAT_API_KEY") or use --key-file")
        }
    }

    /// The variable of the environment with the key that names the coach's project.
    private static let projectKeyVariable = "CHAT_PROJECT_KEY"

    /// The streams of the server; `nil` if it answers over a connection.
    var streams: NamedStreams? {
        NamedStreams(backend, model: model, hasKey: key != nil, projectKey: projectKey)
    }

    private static func key(
        _ options: Options, _ backend: BackendName, _ environment: [String: String]
    ) throws(UsageError) -> Secret? {
        guard let file = options.keyFile else {
            return backend.keyVariables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
                .map { Secret(ExactText($0)) }
        }
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw UsageError("the key file \(file) cannot be read")
        }
        // A line end after a key comes from the editor. Several lines are no key, and a header takes none.
        let text = ExactText(decoding: Array(bytes)).trimmed
        guard !text.isEmpty, text.withoutControlCharacters == text, text.byteCount <= 4_096 else {
            throw UsageError("the key file \(file) holds no key")
        }
        return Secret(text)
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

    func bytes(at path: RecordPath) -> [UInt8]? { store.bytes(at: path) }
}
