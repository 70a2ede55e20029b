// A server as a value, on its loop's clock. The loop promises to insert secrets before it passes a payload, to pass
// nothing of an ended call except its close, and to return no later than `nextDeadline`.

import ChatDomain

/// A network and its server in one, as a value without its own clock.
public protocol SimulatedServer: NetworkDriver, PlainValue {}
