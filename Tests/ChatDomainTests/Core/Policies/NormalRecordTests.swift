// The normal forms of the list of conversations and of a connection that replays: the numbers of attempts and of
// changes tell no states apart.

import Testing

@testable import ChatDomain

@Suite("Core: the normal forms of records and attempts")
struct NormalRecordTests {
    private func normal<Part: Normalizable>(_ part: Part) -> Part {
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0))
        var form = NormalForm(moment: moment, horizon: .minutes(60))
        return form.normal(part)
    }

    @Test("C19, L3: lists of conversations are alike after any number of changes that are saved")
    func listRecord() {
        let lists = [1, 3].map { count in
            var list = ConversationList()
            _ = list.record.loads(under: Attempt(number: 1))
            _ = list.record.loaded(Attempt(number: 1), nil)
            for _ in 0..<count { _ = list.record.changed() }
            _ = list.record.saves(under: Attempt(number: 2))
            _ = list.record.ended(Attempt(number: 2), succeeded: true)
            return list
        }
        #expect(lists[0] != lists[1] && normal(lists[0]) == normal(lists[1]))
    }

    @Test("C4, L3: connections are alike that replay as much under other attempts")
    func replaying() {
        let connections = ([7, 9] as [UInt64]).map { number in
            var connection = Chat.Connection(configuration: Chat.Configuration())
            connection.phase = .replaying(Attempt(number: number), remaining: 2)
            return connection
        }
        #expect(connections[0] != connections[1] && normal(connections[0]) == normal(connections[1]))
    }
}
