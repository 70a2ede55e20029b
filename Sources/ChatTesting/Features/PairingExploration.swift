// Pairing, explored: a device that comes in and leaves again, and an admin who lets others in.

import ChatDomain
import ChatEffects

extension Pairing: Explorable {}

extension Explore where Codec == Uncoded<Pairing> {
    /// A device that comes in and leaves: launches, questions, cancels, silence, a disk that fails, a process that ends.
    static var comingIn: Explore {
        var configuration = Pairing.Configuration(device: DeviceInfo(platform: "iOS", model: "iPhone"))
        // Two questions a minute and two attempts reach every limit as well as four and twenty do.
        configuration.asking = Throttle.Configuration(limit: 2, window: .seconds(60))
        configuration.backoff = Backoff.Configuration(limit: 2)
        configuration.requestLifetime = .seconds(90)
        return Explore(
            Pairing(configuration: configuration), from: Pairing.State(configuration: configuration),
            [
                .person(
                    .launched, .nameEdited("Kay"), .submitted, .cancelled, .retried, .signedOut,
                    .networkReturned),
                .calls { _ in
                    [
                        .pending(code: "1"), .granted(Secret("top-secret"), "kay", isAdmin: false),
                        .refused(.denied(reason: nil)),
                    ]
                },
                .ends(.failed(.lost)),
                .storage(.answered, .failed(.unavailable)),
                .clock(.deadline),
            ]
        )
        .always("one question at a time") { $0.openCalls.count <= 1 }
        .always(.bounded(calls: 1, operations: 80))
        .noGhosts()
    }
}
