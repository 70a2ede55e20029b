// The form of every state, action and effect: a plain value.
//
// A domain value can be compared, hashed and sent anywhere, so a whole running system is one value, which a
// test can assert on and a search can visit. Where the language has `Codable` (Embedded Swift has not), its
// synthesised form is included for Swift users; stable formats are encoded by hand (see `ChatEffects`).

#if hasFeature(Embedded)
    /// A value of the domain: comparable and free of references that could be shared.
    public typealias DomainValue = Hashable & Sendable
#else
    /// A value of the domain: comparable, encodable, and free of references that could be shared.
    public typealias DomainValue = Hashable & Sendable & Codable
#endif

/// A value that no stored machine contains: actions, events and effects, which only pass through a machine; the
/// content of a screen; and the in-process server.
///
/// Without `Codable`: values at a border are encoded by hand, and the synthesised code for all these cases was
/// a fifth of the product of a clean build.
public typealias PlainValue = Hashable & Sendable
