// The needs of an exploration: nothing, if it may visit the states of each instant anew; otherwise the normal form of the
// feature's values.

import ChatDomain
import ChatEffects

/// A feature that a world can run, with the normal form of its values.
///
///     extension Reminders: Explorable {}
///
/// Without a normal form a search visits more states than necessary, and never fewer: a value may hold a time, so what
/// is reached at another instant is another state. When the state, the calls, the keys, the records and the timers all say
/// where their times and attempts stand, a search may close. A type without any says so:
///
///     extension Reminders.Timer: Normalizable {}
///
/// The types of the library's own features are `Normalizable`, and a feature with such types needs nothing more.
public protocol Explorable: Feature where Key: RecordKey, Record: StoredRecord, Record.Key == Key {
    /// Puts a state into its normal form.
    static func normalize(state: inout State, _ form: inout NormalForm)
    /// Puts the name of a call into its normal form.
    static func normalize(call: inout Call, _ form: inout NormalForm)
    /// Puts a key into its normal form.
    static func normalize(key: inout Key, _ form: inout NormalForm)
    /// Puts a record into its normal form.
    static func normalize(record: inout Record, _ form: inout NormalForm)
    /// Puts the name of a timer into its normal form.
    static func normalize(timer: inout Timer, _ form: inout NormalForm)
}

// A type that says nothing about its parts may hold a time.
extension Explorable {
    public static func normalize(state: inout State, _ form: inout NormalForm) { form.leaveAsItIs() }
    public static func normalize(call: inout Call, _ form: inout NormalForm) { form.leaveAsItIs() }
    public static func normalize(key: inout Key, _ form: inout NormalForm) { form.leaveAsItIs() }
    public static func normalize(record: inout Record, _ form: inout NormalForm) { form.leaveAsItIs() }
    public static func normalize(timer: inout Timer, _ form: inout NormalForm) { form.leaveAsItIs() }
}

extension Explorable where State: Normalizable {
    @inlinable public static func normalize(state: inout State, _ form: inout NormalForm) {
        state.normalize(&form)
    }
}

extension Explorable where Call: Normalizable {
    @inlinable public static func normalize(call: inout Call, _ form: inout NormalForm) {
        call.normalize(&form)
    }
}

extension Explorable where Key: Normalizable {
    @inlinable public static func normalize(key: inout Key, _ form: inout NormalForm) {
        key.normalize(&form)
    }
}

extension Explorable where Record: Normalizable {
    @inlinable public static func normalize(record: inout Record, _ form: inout NormalForm) {
        record.normalize(&form)
    }
}

extension Explorable where Timer: Normalizable {
    @inlinable public static func normalize(timer: inout Timer, _ form: inout NormalForm) {
        timer.normalize(&form)
    }
}
