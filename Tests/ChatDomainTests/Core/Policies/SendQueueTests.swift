@testable import ChatDomain
import Testing

private struct Note: DomainValue, Identifiable {
    var id: Int
    var text: ExactText = ""
}

@Suite("Send queue")
struct SendQueueTests {
    private func queue(_ ids: ClosedRange<Int>, limit: Int64 = 50) -> SendQueue<Note> {
        var queue = SendQueue<Note>(limit: limit)
        for id in ids { _ = queue.enqueue(Note(id: id)) }
        return queue
    }

    @Test("C8: first in, first out, and one in flight at a time")
    func order() {
        var queue = queue(1...3)
        for id in 1...3 {
            #expect(queue.next()?.id == id)
            #expect(queue.next() == nil)
            #expect(queue.ended(id)?.id == id)
        }
        #expect(queue.next() == nil)
        #expect(queue.isEmpty)
        #expect(queue == SendQueue())
    }

    @Test("C8: a transient failure keeps its place and blocks those behind it")
    func transient() {
        var queue = queue(1...3)
        _ = queue.next()
        #expect(queue.failedTransiently(1) == true)
        #expect(queue.next() == nil)
        #expect(queue.phase == .blocked(Note(id: 1)))
        #expect(queue.requeue()?.id == 1)
        #expect(queue.next()?.id == 1)
    }

    @Test("C8: a permanent failure parks that one and lets the rest go")
    func permanent() {
        var queue = queue(1...3)
        _ = queue.next()
        #expect(queue.ended(1)?.id == 1)
        #expect(queue.next()?.id == 2)
        #expect(queue.failedTransiently(2) == true)
        #expect(queue.ended(2)?.id == 2)
        #expect(queue.next()?.id == 3)
    }

    @Test("C9: messages in flight when the connection was lost are the first to be sent again")
    func connectionLost() {
        var queue = queue(1...3)
        _ = queue.next()
        #expect(queue.requeue()?.id == 1)
        #expect(queue.requeue() == nil)
        #expect(queue.elements.map(\.id) == [1, 2, 3])
        #expect(queue.next()?.id == 1)
    }

    @Test("L5: restored messages precede all waiting ones, follow those in flight, and may exceed the limit")
    func restored() {
        var queue = queue(3...4, limit: 2)
        _ = queue.next()
        queue.restore([Note(id: 1), Note(id: 2), Note(id: 1), Note(id: 4)])
        #expect(queue.phase == .inFlight(Note(id: 3)))
        #expect(queue.elements.map(\.id) == [3, 1, 2, 4])
        #expect(queue.enqueue(Note(id: 5)) == .full)
    }

    @Test("C10: an echo ends an element wherever it is, once")
    func echo() {
        var queue = queue(1...3)
        _ = queue.next()
        queue.requeue()
        #expect(queue.ended(1)?.id == 1)
        #expect(queue.ended(1) == nil)
        #expect(queue.ended(3)?.id == 3)
        #expect(queue.next()?.id == 2)
        #expect(queue.ended(9) == nil)
        #expect(queue.failedTransiently(9) == false)
        #expect(queue.phase == .inFlight(Note(id: 2)))
    }

    @Test("L8: at its limit the queue refuses, counting the one in flight, and loses nothing")
    func limit() {
        var queue = queue(1...2, limit: 2)
        #expect(queue.enqueue(Note(id: 3)) == .full)
        _ = queue.next()
        #expect(queue.enqueue(Note(id: 3)) == .full)
        #expect(queue.elements.map(\.id) == [1, 2])
        _ = queue.ended(1)
        #expect(queue.enqueue(Note(id: 3)) == .queued)

        var none = SendQueue<Note>(limit: .min)
        #expect(none.enqueue(Note(id: 1)) == .full)
    }

    @Test("fifty messages fit")
    func fifty() {
        #expect(queue(1...60).count == 50)
    }

    @Test("L6: an element that is in the queue is not queued again, wherever it is")
    func duplicate() {
        var queue = queue(1...2)
        #expect(queue.enqueue(Note(id: 2, text: "again")) == .duplicate)
        _ = queue.next()
        #expect(queue.enqueue(Note(id: 1)) == .duplicate)
        _ = queue.failedTransiently(1)
        #expect(queue.enqueue(Note(id: 1)) == .duplicate)
        #expect(queue.contains(1))
        _ = queue.ended(1)
        #expect(!queue.contains(1))
        #expect(queue.enqueue(Note(id: 1)) == .queued)
    }

    @Test("C13: an unsent message can be edited in its place and removed")
    func edit() {
        var queue = queue(1...3)
        #expect(queue.replace(with: Note(id: 2, text: "new")) == .done(Note(id: 2)))
        #expect(queue.elements == [Note(id: 1), Note(id: 2, text: "new"), Note(id: 3)])
        #expect(queue.remove(2) == .done(Note(id: 2, text: "new")))
        #expect(queue.remove(2) == .missing)
        #expect(queue.replace(with: Note(id: 2)) == .missing)
        #expect(queue.elements.map(\.id) == [1, 3])
    }

    @Test("C13: a message in flight can be neither edited nor removed, as its fate is not known")
    func editInFlight() {
        var queue = queue(1...2)
        _ = queue.next()
        let before = queue
        #expect(queue.replace(with: Note(id: 1, text: "new")) == .inFlight)
        #expect(queue.remove(1) == .inFlight)
        #expect(queue == before)
        _ = queue.failedTransiently(1)
        #expect(queue.replace(with: Note(id: 1, text: "new")) == .done(Note(id: 1)))
        #expect(queue.phase == .blocked(Note(id: 1, text: "new")))
        #expect(queue.remove(1) == .done(Note(id: 1, text: "new")))
        #expect(queue.next()?.id == 2)
    }

    @Test("L5, L6: under any sequence of steps each element accepted ends once or is still there, in order")
    func model() throws {
        for seed in 0..<60 as Range<UInt64> {
            var entropy = Entropy.seeded(seed)
            var queue = SendQueue<Note>(limit: 5)
            var order: [Int] = []  // the ids in the order of being queued, without those that ended
            var out: Int?
            var blocked = false
            for id in 0..<150 {
                let some = order.isEmpty ? id : order[entropy.below(order.count)]
                switch entropy.below(8) {
                case 0, 1, 2:
                    let outcome = queue.enqueue(Note(id: id))
                    #expect(outcome == (order.count < 5 ? .queued : .full))
                    if outcome == .queued { order.append(id) }
                case 3:
                    let expected = out == nil ? order.first : nil
                    #expect(queue.next()?.id == expected)
                    if let expected { (out, blocked) = (expected, false) }
                case 4:
                    let ended = queue.ended(some)
                    #expect(ended?.id == (order.contains(some) ? some : nil))
                    order.removeAll { $0 == some }
                    if out == some { out = nil }
                case 5:
                    #expect(queue.failedTransiently(some) == (out == some && !blocked))
                    if out == some { blocked = true }
                case 6:
                    #expect(queue.requeue()?.id == out)
                    out = nil
                default:
                    let refused = out == some && !blocked
                    let outcome = queue.remove(some)
                    if refused {
                        #expect(outcome == .inFlight)
                    } else {
                        #expect(outcome == (order.contains(some) ? .done(Note(id: some)) : .missing))
                        order.removeAll { $0 == some }
                        if out == some { out = nil }
                    }
                }
                #expect(queue.elements.map(\.id) == order)
                #expect(queue.count == Int64(order.count))
                #expect(queue.waiting.map(\.id) == order.filter { $0 != out })
            }
            #expect(try throughJSON(queue) == queue)
        }
    }
}
