// The key chain of Apple's systems as a store. This file has only the calls of the system. They have been type-checked
// against declarations written by hand, and have not been compiled or run on an Apple system yet. Their use is tested
// everywhere, without them: the names of items and the meaning of statuses (`KeychainRecords`), the answers
// (`MediumStore`), and the choice of the records (`DividedStore`).

#if canImport(Security)
    import ChatDomain
    import Foundation
    import Security

    /// A store in the key chain of this device.
    ///
    /// Its items can be read once the device has been unlocked after a start, also in the background. They are in no
    /// backup and on no other device, and outlive the app's removal. On macOS this is the key chain that protects data,
    /// for which an app must be signed; for an unsigned program nothing is readable, and `FileStore` is the store to
    /// use.
    ///
    /// Calls block until they are done. A store has one owner, which chooses the thread.
    public final class KeychainStore: RecordStore {
        private var store: MediumStore<KeychainRecords<SystemKeychain>>

        /// Opens the items of a service. Its name, such as the app's identifier, separates them from those of other
        /// stores of the same app.
        public init(service: String) {
            store = MediumStore(KeychainRecords(items: SystemKeychain(service: service)))
        }

        /// Carries out a storage operation, durably.
        ///
        /// The answer is `nil` for an operation of another kind and for one that expects none.
        public func carryOut(_ operation: DriverOperation) -> Outcome? { store.carryOut(operation) }

        /// The secret that this process has saved at a path or loaded from it, for the driver that sends it; nil if
        /// there is none.
        public func secret(at path: RecordPath) -> Secret? { store.secret(at: path) }

        /// The plain record at a path, for a payload that carries it; nil if there is none. Throws if it cannot be read
        /// now.
        public func bytes(at path: RecordPath) throws(StorageFailure) -> [UInt8]? {
            try store.bytes(at: path)
        }
    }

    /// The passwords of one service in the system's key chain.
    private struct SystemKeychain: KeychainItems {
        let service: String

        func read(_ name: String) throws(KeychainStatus) -> [UInt8]? {
            var query = item(name)
            query[kSecReturnData as String] = true
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            guard try KeychainStatus.isFound(status) else { return nil }
            guard let data = result as? Data else { throw .undecodable }
            return Array(data)
        }

        func write(_ bytes: [UInt8], to name: String) throws(KeychainStatus) {
            let content: [String: Any] = [
                kSecValueData as String: Data(bytes),
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            let update = SecItemUpdate(item(name) as CFDictionary, content as CFDictionary)
            if try KeychainStatus.isFound(update) { return }
            let new = item(name).merging(content) { $1 }
            let status = SecItemAdd(new as CFDictionary, nil)
            guard try KeychainStatus.isFound(status) else { throw .itemNotFound }
        }

        func remove(_ name: String) throws(KeychainStatus) {
            _ = try KeychainStatus.isFound(SecItemDelete(item(name) as CFDictionary))
        }

        func names() throws(KeychainStatus) -> [String] {
            var query = item(nil)
            query[kSecMatchLimit as String] = kSecMatchLimitAll
            query[kSecReturnAttributes as String] = true
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            guard try KeychainStatus.isFound(status) else { return [] }
            guard let items = result as? [[String: Any]] else { throw .undecodable }
            return items.compactMap { $0[kSecAttrAccount as String] as? String }
        }

        /// The query for an item, or for all items of the service.
        private func item(_ name: String?) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecUseDataProtectionKeychain as String: true,
            ]
            query[kSecAttrAccount as String] = name
            return query
        }
    }
#endif
