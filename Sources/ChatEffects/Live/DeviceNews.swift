// What the system tells of this device, as actions of the app (R2): whether there is a network, whether the app is in front,
// and that memory is short. The monitors are the system's. Their calls have been type-checked against declarations written by
// hand, and have neither been compiled nor run on an Apple system yet. How a notification becomes an action is the same
// everywhere, and is tested.

import ChatDomain
import Foundation

#if canImport(Network)
    import Network
#endif
#if canImport(UIKit)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

/// The news of this device.
public enum DeviceNews {
    /// What happens to this device from now on, as actions to send to the app; the first says whether there is a network.
    ///
    ///     for await action in DeviceNews.actions() { await loop.send(action) }
    ///
    /// The system's monitors run until nobody reads any more. In the background the system may end the app at any time:
    /// `SystemLoop.waitForStorage(atMost:)` waits for what `backgrounded` saves, within the time that an app asks for.
    ///
    /// On Linux and on a watch nothing is told, since there is no monitor, or none that tells what an app may use. There an
    /// app sends `networkChanged`, `foregrounded` and `backgrounded` itself, or only the actions that it knows of: without
    /// them the network counts as there and the app as in front, and a connection that breaks is tried again by the clock.
    @MainActor
    public static func actions() -> AsyncStream<ChatApp.Action> { actions(for: notifications) }

    /// More news than this are not kept for a slow reader: the newest say how things stand.
    private static let limit = 64

    /// What the system's notifications mean. On a Mac an app is out of sight when it is hidden: one that merely stands behind
    /// another is read, and stays connected.
    @MainActor
    private static var notifications: [(Notification.Name, ChatApp.Action)] {
        #if canImport(UIKit) && !os(watchOS)
            return [
                (UIApplication.didEnterBackgroundNotification, .backgrounded),
                (UIApplication.willEnterForegroundNotification, .foregrounded),
                (UIApplication.didReceiveMemoryWarningNotification, .memoryWarned),
            ]
        #elseif canImport(AppKit)
            return [
                (NSApplication.didHideNotification, .backgrounded),
                (NSApplication.didUnhideNotification, .foregrounded),
            ]
        #else
            return []
        #endif
    }

    /// The stream of these notifications' actions, and of the network's where there is a monitor.
    static func actions(
        for notifications: [(Notification.Name, ChatApp.Action)]
    ) -> AsyncStream<ChatApp.Action> {
        let (stream, continuation) = AsyncStream<ChatApp.Action>.makeStream(
            bufferingPolicy: .bufferingNewest(limit))
        // What ends the monitors, when nobody reads any more.
        let endings = Locked<[() -> Void]>([])
        for (name, action) in notifications {
            let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                _ in
                continuation.yield(action)
            }
            endings.withLock { $0.append { NotificationCenter.default.removeObserver(observer) } }
        }
        #if canImport(Network) && !os(watchOS)
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { path in
                // A path that is to be made first, as by a private network, is there on demand.
                continuation.yield(.networkChanged(isUp: path.status != .unsatisfied))
            }
            monitor.start(queue: DispatchQueue(label: "chat.network"))
            endings.withLock { $0.append { monitor.cancel() } }
        #endif
        continuation.onTermination = { _ in
            endings.withLock { all in
                for end in all { end() }
                all = []
            }
        }
        return stream
    }
}
