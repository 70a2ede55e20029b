// The in-process server behind real sockets, on the system's clock. Everything happens on one queue: connections
// arrive, their bytes become operations, and the server's outcomes are sent when they are due.

import ChatDomain
import ChatEffects
import Dispatch
import Foundation

/// Serves an in-process server to clients.
final class ServedLoop: @unchecked Sendable {
    /// The port of the server.
    let port: Int

    private let queue = DispatchQueue(label: "chat.serve")
    private let listener: ListeningSocket
    private let timer: any DispatchSourceTimer
    private let time = SystemTime()
    private let fault: NetworkFault?
    private let log: @Sendable (String) -> Void
    // Used on the queue alone.
    private var server: LocalServer
    private var connections: [CallNumber: (connection: ServedConnection, socket: StreamSocket)] = [:]
    private var lastCall: UInt64 = 0

    /// Listens at an address. Throws a sentence if that is not possible.
    init(
        _ server: LocalServer, address: String, port: Int, fault: NetworkFault? = nil,
        log: @escaping @Sendable (String) -> Void
    ) throws(UsageError) {
        guard let descriptor = SystemSocket.listen(address: address, port: port) else {
            throw UsageError("cannot listen at \(address), port \(port): \(String(cString: strerror(errno)))")
        }
        self.server = server
        self.fault = fault
        self.log = log
        self.port = SystemSocket.port(of: descriptor)
        listener = ListeningSocket(descriptor, on: queue)
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.tick() }
        queue.sync { listener.start { [weak self] socket in self?.accept(socket) } }
        timer.activate()
    }

    /// Stops listening and ends all connections. Not to be called on the queue.
    func stop() {
        queue.sync {
            listener.close()
            timer.cancel()
            for entry in connections.values { entry.socket.close() }
            connections = [:]
        }
    }

    // MARK: On the queue

    private func accept(_ socket: StreamSocket) {
        lastCall += 1
        let call = CallNumber(lastCall)
        connections[call] = (ServedConnection(call, fault), socket)
        socket.start { [weak self] event in self?.take(event, call) }
    }

    private func take(_ event: StreamSocket.Event, _ call: CallNumber) {
        guard connections[call] != nil else { return }
        switch event {
        case .bytes(let bytes): perform(connections[call]?.connection.take(bytes) ?? [], call)
        case .ended:
            let steps = connections.removeValue(forKey: call)?.connection.ended() ?? []
            perform(steps, call)
        }
        tick()
    }

    private func perform(_ steps: [ServedConnection.Step], _ call: CallNumber) {
        for step in steps {
            switch step {
            case .send(let bytes): connections[call]?.socket.write(bytes)
            case .operate(let operation): server.carryOut(operation, at: time.moment())
            case .log(let line): log(line)
            case .finish: connections.removeValue(forKey: call)?.socket.finish()
            case .reset: connections.removeValue(forKey: call)?.socket.reset()
            }
        }
    }

    /// Sends the due outcomes, and waits for the next one.
    private func tick() {
        let moment = time.moment()
        for case .arrived(let call, let arrival) in server.advance(to: moment) {
            perform(connections[call]?.connection.take(arrival) ?? [], call)
        }
        guard let next = server.nextDeadline else { return }
        timer.schedule(
            deadline: .now() + .nanoseconds(Int(clamping: max(next - moment.now, .zero).nanoseconds)))
    }
}
