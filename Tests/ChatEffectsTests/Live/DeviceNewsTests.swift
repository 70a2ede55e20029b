// What the system tells as notifications arrives as the actions of the app, in order, for as long as somebody reads. On
// systems with a monitor of the network, its news come between them.

import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

@Suite("News of the device")
struct DeviceNewsTests {
    /// A notification of this test alone.
    private static func name() -> Notification.Name { Notification.Name(UUID().uuidString) }

    private static func isOfNetwork(_ action: ChatApp.Action) -> Bool {
        if case .networkChanged = action { true } else { false }
    }

    @Test("R2: each notification is its action, in the order in which they come", .timeLimit(.minutes(1)))
    func order() async {
        let (left, came, other) = (Self.name(), Self.name(), Self.name())
        let news = DeviceNews.actions(for: [(left, .backgrounded), (came, .foregrounded)])
        for name in [left, other, came, left] { NotificationCenter.default.post(name: name, object: nil) }
        var all: [ChatApp.Action] = []
        for await action in news where !Self.isOfNetwork(action) {
            all.append(action)
            if all.count == 3 { break }
        }
        #expect(all == [.backgrounded, .foregrounded, .backgrounded])
    }

    @Test("L8: of news that nobody reads the newest are kept", .timeLimit(.minutes(1)))
    func limit() async {
        let (left, came) = (Self.name(), Self.name())
        let news = DeviceNews.actions(for: [(left, .backgrounded), (came, .foregrounded)])
        for _ in 0..<1_000 { NotificationCenter.default.post(name: left, object: nil) }
        NotificationCenter.default.post(name: came, object: nil)
        var count = 0
        for await action in news {
            count += 1
            if action == .foregrounded { break }
        }
        #expect(count <= 65)
    }

    @Test("a listener that stops is told nothing more, and nothing goes on", .timeLimit(.minutes(1)))
    func ending() async {
        let left = Self.name()
        let news = DeviceNews.actions(for: [(left, .backgrounded)])
        let reader = Task {
            var count = 0
            for await action in news where !Self.isOfNetwork(action) { count += 1 }
            return count
        }
        reader.cancel()
        _ = await reader.value
        NotificationCenter.default.post(name: left, object: nil)
        var iterator = news.makeAsyncIterator()
        #expect(await iterator.next() == nil)
    }
}
