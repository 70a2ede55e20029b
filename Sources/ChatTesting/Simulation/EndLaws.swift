// The laws of the liveness phase, after everything has worked for a while: a visible text is on the server or visibly
// unsent, and a text on the server is visible once and whole.

import ChatDomain
import ChatEffects

extension Simulation {
    mutating func checkEnd(of user: UserID) {
        for screen in state.screens where screen.isTyping {
            complain("C18: in the end, somebody types in \(screen.id.text)")
        }
        var whole = devices[here].loop
        if !whole.loadAll() { return complain("R5: not all that is stored can be loaded in the end") }
        checkServer()
        let onServer = marksOnServer(of: user)
        let screens = whole.state.screens
        for screen in screens {
            for row in screen.rows where row.role == .user && !row.isUnsent {
                for mark in ExactText(row.text.string).marks
                where onServer[mark] == nil && devices[here].ledger.texts[mark]?.lost == 0 {
                    complain(
                        "L5: t\(mark). is shown as \(String(describing: row.status)), and not sent")
                }
            }
            checkWhole(screen, among: screens, user)
        }
    }

    /// Every message of a conversation that was not written on this device is visible once, in its place, with its
    /// whole text.
    private mutating func checkWhole(_ screen: Screen, among screens: [Screen], _ user: UserID) {
        // The replies that were muted before they had a name.
        var muted = devices[here].muted[screen.id] ?? 0
        let log = server.log(of: user).filter { $0.conversation == screen.id && !$0.text.isEmpty }
        for entry in log where !entry.isWritten(on: state.account?.device) {
            let shown = screens.flatMap { other in
                other.rows.filter { $0.id == .received(entry.id) }.map { (other.id, $0.text.string) }
            }
            if shown.count == 1, shown[0] == (screen.id, entry.text.string) { continue }
            if shown.count <= 1, devices[here].excused.contains(entry.id) { continue }
            if shown.isEmpty, entry.author != .server, mayHaveOmittedEchoes { continue }
            muted -= entry.author == .server ? 1 : muted + 1
            if shown.count > 1 || muted < 0 {
                complain("C16: \(entry.id) “\(entry.text)” is shown as \(shown.map { $0.1 })")
            }
        }
    }
}

extension LocalServer.Entry {
    /// Whether the person wrote it on this device, where it has a row of its own name.
    fileprivate func isWritten(on here: DeviceID?) -> Bool {
        if case .device(let device, _) = author { device == here } else { false }
    }
}
