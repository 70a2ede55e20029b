// Assembles the program: the app, its backend, its store, and the server in the process.

import ChatDomain
import ChatEffects
import ChatTesting
import Foundation

/// The app of this program, in a loop with its server.
enum Setup {
    typealias ChatLoop<Store: RecordStore> = Loop<ClawlineBackend, Store, LocalServer>

    /// The greatest file of a message, in bytes.
    static var fileLimit: Int64 { Chat.Configuration().uploadLimit }

    /// The person's folder. A shell's ~ and the XDG Base Directory Specification mean HOME, which Foundation ignores on
    /// Linux.
    static func home(_ environment: [String: String]) -> String {
        if let home = environment["HOME"], home.hasPrefix("/") { return home }
        return NSHomeDirectory()
    }

    static func loop<Store: RecordStore>(
        store: sending Store, wall: WallTime = SystemTime.wall(),
        seed: UInt64 = .random(in: .min ... .max)
    ) -> ChatLoop<Store> {
        let machine = recorded.machine(moment: Moment(now: .origin, wall: wall), entropy: .seeded(seed))
        // The server's state ends with the program, its clients' state does not.
        let server = LocalServer(behaviour)
        return Loop(machine, store: store, server: server)
    }

    /// The description of the app in a recording, from which a replay builds it again.
    static var recorded: ChatSetup { ChatSetup(device: device) }

    /// The default behaviour, plus typing, and a user named admin who is an admin.
    static var behaviour: LocalServer.Behaviour {
        var behaviour = LocalServer.Behaviour()
        behaviour.showsTyping = true
        behaviour.admins = ["admin"]
        return behaviour
    }

    static var device: DeviceInfo {
        #if os(Linux)
            let platform: ExactText = "Linux"
        #else
            let platform: ExactText = "macOS"
        #endif
        return DeviceInfo(
            platform: platform, model: "terminal",
            systemVersion: ExactText(ProcessInfo.processInfo.operatingSystemVersionString))
    }
}

extension FileToAttach {
    /// Reads the file at a typed path. Throws a sentence if that fails.
    static func read(typed: String) throws(UsageError) -> PickedFile {
        try read(path(typed, home: Setup.home(ProcessInfo.processInfo.environment)), limit: Setup.fileLimit)
    }
}
