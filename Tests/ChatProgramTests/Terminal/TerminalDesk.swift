// Somebody at the program's terminal on virtual time: what they press, and what the window shows.

import ChatDomain
import ChatEffects

@testable import chat

/// The app on a virtual clock.
struct VirtualDriver: AppDriver {
    var loop: Setup.ChatLoop<MemoryStore>

    var state: ChatApp.State { loop.state }
    var wall: WallTime { loop.moment.wall }

    mutating func send(_ action: ChatApp.Action) { loop.send(action) }

    mutating func changeServer(_ change: ServerChange) {
        loop.server.happen(change, at: loop.moment)
        loop.advance(by: .zero)
    }
}

/// A run of the program at a terminal.
struct TerminalDesk {
    var chat: TerminalChat<VirtualDriver>
    let window: Window
    /// The status with which the program has ended.
    private(set) var status: Int32?

    init(
        _ window: Window = Window(), store: MemoryStore = MemoryStore(), wall: WallTime = Desk.noon,
        colour: Bool = true, files: PersonalFiles? = nil, _ change: (inout LocalServer) -> Void = { _ in }
    ) async {
        var loop = Setup.loop(store: store, wall: wall, seed: 7)
        change(&loop.server)
        self.window = window
        chat = TerminalChat(
            VirtualDriver(loop: loop), .init(write: { window.write($0) }, size: { window.size }),
            Paint(environment: ["TERM": colour ? "xterm" : "dumb"]), greeting: FrontEnd.greeting(nil),
            files: files)
        await chat.start()
        await wait(.seconds(1))
    }

    var state: ChatApp.State { chat.driver.state }

    /// The next run, where this one has left its records.
    func next() async -> TerminalDesk {
        var loop = chat.driver.loop
        loop.advance(by: .seconds(5))
        var next = await TerminalDesk(store: loop.store, wall: Desk.noon + .minutes(5))
        await next.wait(.seconds(5))
        return next
    }

    /// Lets time pass; the window is drawn whenever something happens.
    mutating func wait(_ interval: Interval) async {
        let end = chat.driver.loop.moment + interval
        while let deadline = chat.driver.loop.nextDeadline, deadline <= end.now {
            _ = chat.driver.loop.runToNextDeadline()
            await take(.state)
        }
        chat.driver.loop.advance(to: end)
        await take(.state)
    }

    mutating func take(_ event: TerminalEvent) async {
        guard status == nil else { return }
        status = await chat.take(event)
    }

    /// Presses keys, as the bytes that a terminal sends.
    mutating func press(_ keys: String) async { await take(.keys(Array(keys.utf8))) }

    /// Types lines with Enter behind each, and waits for what comes of them.
    mutating func type(_ lines: String...) async {
        for line in lines {
            await press(line + "\r")
            await wait(.seconds(5))
        }
    }

    /// Signs in.
    mutating func signIn() async { await type("Ada") }

    /// The row with the cursor.
    var typedRow: String { window.lines.indices.contains(window.row) ? window.lines[window.row] : "" }
}
