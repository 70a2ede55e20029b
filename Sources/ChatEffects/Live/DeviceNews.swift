// The system's news of this device, as actions of the app (R2): whether there is a network, whether the app is in
// front, and that memory is short. The calls of the system's monitors have been type-checked against declarations
// written by hand, and have not been compiled or run on an Apple system yet. The mapping of a notification to an action
// is the same everywhere, and is tested.

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
    /// The news of this device from now on, as actions for the app; the first one says whether there is a network.
    ///
    ///     for await action in DeviceNews.actions() { await loop.send(action) }
    ///
    /// The system's monitors run while the stream is read. In the background the system may end the app at any time:
    /// `SystemLoop.waitForStorage(atMost:)` waits for what `backgrounded` saves, within the time that an app asks for.
    ///
    /// On Linux and on a watch the stream is empty, because there is no monitor, or none that an app may use. There an
    /// app sends `networkChanged`, `foregrounded` and `backgrounded` itself, or only those that it knows. Without them
    /// the network counts as up and the app as in front, and a broken connection is tried again by the clock.
    @MainActor
    public static func actions() -> AsyncStream<ChatApp.Action> { actions(for: notifications) }

    /// The most news that are kept for a slow reader: the newest describe the current state.
    private static let limit = 64

    /// The actions of the system's notifications. On a Mac an app is in the background only when it is hidden: an app
    /// behind another one is still read, and stays connected.
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

    /// The stream of these notifications' actions, and of the network's actions if there is a monitor.
    static func actions(
        for notifications: [(Notification.Name, ChatApp.Action)]
    ) -> AsyncStream<ChatApp.Action> {
        let (stream, continuation) = AsyncStream<ChatApp.Action>.makeStream(
            bufferingPolicy: .bufferingNewest(limit))
        // The functions that end the monitors, when nobody reads any more.
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
                // A path that must be made first, such as that of a private network, is made on demand.
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
