// A retry that waits while the app is updated. In records of version 2, outbox and page could name its message by
// different keys.

@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Records of version 2: a retry that waits")
struct EarlierRetryTests {
    private enum Row: String, CaseIterable {
        case bothFormer = #""client":"c_2","status":"queued","unechoed":["c_0","c_1","c_2"]"#
        case notSaved =
            #""client":"c_1","status":"failed","failure":{"kind":"noReply"},"unechoed":["c_0","c_1"]"#
        case echoed = #""id":"s_1000090","client":"c_2","status":"queued","unechoed":["c_2"]"#
        case secondEchoed = #""id":"s_1000090","client":"c_2","status":"queued","unechoed":["c_0","c_2"]"#
    }

    /// The next launch of an app that has left such a page, and an outbox in which `c_2` replaces `c_1`.
    private static func updated(_ row: Row, after age: Interval) -> AppLoop {
        var loop = AppLoop.fresh()
        loop.pair()
        loop.advance(by: .seconds(10))
        loop.server.goOffline()
        loop.advance(by: .seconds(1))
        let time = loop.moment.wall.millisecondsSince1970
        func put(_ key: Chat.Key, _ format: String, _ version: Int, _ record: String) {
            let text =
                #"{"format":"\#(format)","version":\#(version),"written":0,"record":\#(record)}"#
            _ = loop.store.save(jsonBytes(text), key.path)
        }
        put(.contents("kaywood", .main), "contents", 1, #"{"oldestPage":0,"newestPage":0}"#)
        let entry = #""client":"c_2","text":"Hi","written":\#(time),"wasSent":false,"replaces":"c_1""#
        put(.outbox("kaywood", .main), "outbox", 2, #"{"entries":[{\#(entry),"draft":"d"}]}"#)
        let message = #""role":"user","text":"Hi","time":\#(time),"placed":true,\#(row.rawValue)"#
        put(.page("kaywood", .main, 0), "page", 2, #"{"messages":[{\#(message)}]}"#)
        loop.advance(by: age)
        return loop.relaunched()
    }

    @Test(
        "L3, L6, C12: a retry that waits during an update is one row, and goes once, with consent if old",
        arguments: Row.allCases, [.minutes(1), .hours(13)] as [Interval])
    private func waits(row: Row, age: Interval) throws {
        var loop = Self.updated(row, after: age)
        func rows() -> [Chat.Row] { Chat.rows(loop.state.chat, newest: 10, .neutral) }
        #expect(rows().map { $0.text.string } == ["Hi"])
        loop.server.goOnline()
        loop.send(.networkChanged(isUp: true))
        loop.advance(by: .minutes(1))
        if age == .hours(13) {
            #expect(loop.server.log(of: "kaywood").isEmpty)
            let asking = try #require(rows().first { $0.offer == .consent })
            guard case .written(let client) = asking.id else {
                Issue.record("\(asking.id) is no message of this device")
                return
            }
            loop.send(.chat(.heldApproved(client)))
            loop.advance(by: .minutes(1))
        }
        #expect(rows().map { $0.text.string } == ["Hi", "You said: Hi"])
        #expect(rows().first?.status == .delivered)
        #expect(loop.server.log(of: "kaywood").map { $0.text.string } == ["Hi", "You said: Hi"])
    }
}
