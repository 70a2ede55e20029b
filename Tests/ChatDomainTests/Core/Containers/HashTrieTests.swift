// `HashTrie` against `Dictionary`, with good keys, and with keys that a bad hash makes collide.

import Testing

@testable import ChatDomain

@Suite("Hash trie")
struct HashTrieTests {
    @Test("cost: a random history gives what a dictionary gives, and held values never change")
    func model() {
        check(steps: 4_000, keys: 500) { number in MessageID("message \(number)") }
    }

    @Test("keys that all have one hash are all kept")
    func sameHash() {
        check(steps: 1_500, keys: 40) { number in BadKey(number: number, hash: 5) }
    }

    @Test("keys whose hashes differ in their last bits only are all kept")
    func deepHash() {
        check(steps: 3_000, keys: 60) { number in
            BadKey(number: number, hash: (number % 20) << 59 | 0x7FF_FFFF_FFFF_FFFF)
        }
    }

    private func check<Key: StableHashable & Hashable>(
        steps: Int, keys: UInt64, _ makeKey: (UInt64) -> Key
    ) {
        var entropy = Entropy.seeded(11)
        var trie = HashTrie<Key, Int>(seed: 42)
        var dictionary: [Key: Int] = [:]
        var held: [(HashTrie<Key, Int>, [Key: Int])] = []
        let all = (0..<keys).map(makeKey)
        for step in 0..<steps {
            let key = all[Int(entropy.next() % keys)]
            switch entropy.next() % 2 {
            case 0:
                trie[key] = step
                dictionary[key] = step
            default:
                trie[key] = nil
                dictionary[key] = nil
            }
            if step % 100 == 0 { held.append((trie, dictionary)) }
        }
        held.append((trie, dictionary))
        for (trie, dictionary) in held {
            #expect(all.allSatisfy { trie[$0] == dictionary[$0] })
        }
    }

    @Test("a trie that is emptied holds no node")
    func emptied() {
        var trie = HashTrie<MessageID, Int>(seed: 1)
        for number in 0..<200 { trie[MessageID("\(number)")] = number }
        for number in 0..<200 { trie[MessageID("\(number)")] = nil }
        #expect(trie.root.slots.isEmpty && trie.root.occupied == 0)
    }

    @Test("keys are bytes: canonically equivalent texts are two keys")
    func bytes() {
        var trie = HashTrie<ExactText, Int>(seed: 1)
        trie["\u{E9}"] = 1
        trie["e\u{301}"] = 2
        #expect(trie["\u{E9}"] == 1)
        #expect(trie["e\u{301}"] == 2)
    }

    @Test("the hash is SipHash-1-3, the same everywhere")
    func published() {
        // Test vectors of the reference implementation: key 00 01 … 0f, input 00 01 … of rising length.
        let expected: [(length: UInt8, hash: UInt64)] = [
            (0, 0xABAC_0158_050F_C4DC), (1, 0xC9F4_9BF3_7D57_CA93), (2, 0x82CB_9B02_4DC7_D44D),
            (7, 0xD392_7D98_9BB1_1140), (8, 0x3690_9511_8D29_9A8E), (9, 0x25A4_8EB3_6C06_3DE4),
            (15, 0xD320_D86D_2A51_9956), (16, 0xCC4F_DD1A_7D90_8B66), (17, 0x9CF2_6890_63DB_D80C),
        ]
        for (length, hash) in expected {
            var siphash = SipHash(0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
            let bytes = Array(0..<length)
            #expect(bytes.withUnsafeBytes { siphash.finish($0) } == hash)
        }
    }

    @Test("the hash depends on the seed and on every byte")
    func sensitivity() {
        let text = "0123456789abcdef0123456789abcdef!"
        var hashes: Set<UInt64> = []
        for seed in 0..<50 as Range<UInt64> { hashes.insert(ExactText(text).stableHash(seed: seed)) }
        for length in 0..<33 { hashes.insert(ExactText(String(text.prefix(length))).stableHash(seed: 0)) }
        for index in 0..<33 {
            var bytes = Array(text.utf8)
            bytes[index] ^= 1
            hashes.insert(ExactText(String(decoding: bytes, as: UTF8.self)).stableHash(seed: 0))
        }
        #expect(hashes.count == 50 + 33 + 33)
    }
}

/// A key whose hash a test chooses.
private struct BadKey: StableHashable, Hashable {
    let number: UInt64
    let hash: UInt64

    func stableHash(seed: UInt64) -> UInt64 { hash }
}
