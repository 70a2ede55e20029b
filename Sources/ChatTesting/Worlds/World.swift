// The subject of a search, a random run, a fuzzer and a replay: a value that lists its possible steps, and takes them.
// Start with `MachineWorld`, the world around one machine.
//
// A run is a sequence of choices. These ways of driving differ only in the source of the choices: every one in turn, a
// generator, bytes, or a list.

/// A value in which one event follows another. Equal worlds have equal normal forms, so a step without a change needs
/// no normal form.
public protocol World: Equatable, Sendable {
    /// One event. It names its subject by position, so it makes sense in any world of the type; without a subject at
    /// the position, nothing happens.
    associatedtype Step: Hashable & Sendable

    /// Appends every possible step, in an order that depends on this value alone.
    func steps(into list: inout [Step])

    /// Takes one step.
    mutating func take(_ step: Step)

    /// Feeds the normal form: worlds with equal normal forms behave alike.
    func hash(normalized hasher: inout Hasher)
}

/// A world whose runs can be drawn, and shrunk when they break a law.
protocol ShrinkableWorld: World {
    /// Draws a step that no list holds, such as one with a text or a time among endless ones.
    func drawn(_ choices: inout Choices) -> Step?

    /// The step, if it can be taken here: a list has it, or it is one that was drawn and can be drawn. One with a time or
    /// an attempt is as a list has it here.
    func possible(_ step: Step, isDrawn: Bool) -> Step?

    /// Simpler steps in place of one that is taken here, the simplest first.
    func simpler(_ step: Step) -> [Step]

    /// The numbers of all that a step can name by a position of this kind, in the order of positions. A number belongs to
    /// one thing in the whole run, and a later thing has a greater one, unless the process ends or a codec continues a
    /// call with another exchange; then a failure may keep steps that it does not need.
    func numbers(_ kind: Positioned) -> [UInt64]

    /// The same step with another position, if it has one. `nil` if the closure gives none.
    static func moved(_ step: Step, _ position: (Positioned, Int) -> Int?) -> Step?

    /// Whether a step begins a process, whose calls and operations are all its own.
    static func beginsProcess(_ step: Step) -> Bool
}

/// What a step names by its position among others of the kind, oldest first.
enum Positioned: CaseIterable { case call, operation }

/// 128 bits of the hash of a normal form.
///
/// Two different states share one with a probability below 2⁻⁸⁰ among ten million states, so a search keeps these
/// instead of states.
struct Fingerprint: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    /// Takes the fingerprint of a world. Both halves come from the one 256-bit state of the hasher.
    @inline(__always)
    init(_ world: some World) {
        var hasher = Hasher()
        world.hash(normalized: &hasher)
        var other = hasher
        other.combine(0x9E37_79B9_7F4A_7C15 as UInt64)
        high = UInt64(truncatingIfNeeded: hasher.finalize())
        low = UInt64(truncatingIfNeeded: other.finalize())
    }
}
