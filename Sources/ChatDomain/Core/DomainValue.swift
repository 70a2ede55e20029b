// What every state, action and effect is: a plain value.
//
// A domain value can be compared, hashed and sent anywhere, so a whole running system is one value that a
// test can assert on and a search can visit. Where the language has `Codable` (Embedded Swift has not), its
// synthesised form comes along for Swift users; what must be stable is encoded by hand (see `ChatEffects`).

#if hasFeature(Embedded)
    /// A value of the domain: comparable and free of references that could be shared.
    public typealias DomainValue = Hashable & Sendable
#else
    /// A value of the domain: comparable, encodable, and free of references that could be shared.
    public typealias DomainValue = Hashable & Sendable & Codable
#endif

/// A value that no stored machine contains: actions, events and effects, which only pass through one; what is
/// shown; and the in-process server.
///
/// Without `Codable`: what of them crosses a border is encoded by hand, and the code synthesised for all their
/// cases was a fifth of all that a clean build makes.
public typealias PlainValue = Hashable & Sendable
