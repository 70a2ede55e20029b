// What happens to the server from outside the app. It runs in the process, so the program has to play the world
// around it.

import ChatDomain
import ChatEffects

/// Something that happens to the server.
enum ServerChange: Equatable {
    /// Its network is cut, or mended.
    case network(isUp: Bool)
}

extension LocalServer {
    /// Lets something happen to the server at a moment.
    mutating func happen(_ change: ServerChange, at moment: Moment) {
        switch change {
        case .network(isUp: true): goOnline()
        case .network(isUp: false): goOffline()
        }
    }
}
