import ChatDomain
import ChatEffects

// sample composition
/// The app with reminders, which follow who is signed in.
public struct MyApp: Feature {
    public typealias Both = Beside<ChatApp, Reminders>
    public typealias State = Both.State
    public typealias Action = Both.Action

    public var both: Both

    public init(_ app: ChatApp) { both = Both(app, Reminders()) }

    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Both.Effect] {
        let before = state.first.account
        let effects = both.reduce(&state, action, in: &context)
        let after = state.first.account
        if before == after { return effects }
        return effects + both.reduce(&state, .second(.accountChanged(after)), in: &context)
    }
}

public typealias MyBackend = BesideBackend<MyApp, ClawlineBackend, RemindersBackend>
// end
