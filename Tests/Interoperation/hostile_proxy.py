"""A raw socket server that stands between the program and an honest server, and does on one connection what no server may.
It is a proxy, so that everything before and afterwards is honest, and what was lost shows. Start at `serve_connection`;
hostile_cases.py says what is done.

An attack is a function that gets the program's socket. It comes in place of the answer to a handshake, or when the program
has sent a message, which the honest server then never gets."""

import socket
import struct
import threading

# The program ends a connection that it cannot use within milliseconds.
CLOSE_LIMIT = 8.0


def frame(head, payload=b"", length=None):
    """A frame of a server; `head` is its first byte."""
    if length is None:
        length = bytes([len(payload)]) if len(payload) < 126 else struct.pack("!BH", 126, len(payload))
    return bytes([head]) + length + payload


def reset(connection):
    """Breaks a connection without a farewell."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


class FrameReader:
    """The frames of a client, as far as a proxy must know them: opcode and payload."""

    def __init__(self):
        self.bytes = b""

    def read(self, data):
        """The frames that are complete with these bytes, each as it came, with its opcode and payload."""
        self.bytes += data
        while len(self.bytes) >= 2:
            length, start = self.bytes[1] & 0x7F, 2
            if length == 126:
                length, start = int.from_bytes(self.bytes[2:4], "big"), 4
            elif length == 127:
                length, start = int.from_bytes(self.bytes[2:10], "big"), 10
            end = start + 4 + length
            if len(self.bytes) < end:
                return
            raw, self.bytes = self.bytes[:end], self.bytes[end:]
            key = raw[start : start + 4]
            payload = bytes(byte ^ key[index % 4] for index, byte in enumerate(raw[start + 4 :]))
            yield raw, raw[0] & 0x0F, payload


class HostileProxy:
    """A proxy in front of a port. The connection that is attacked is counted from 0; the first one pairs. With `times`, so
    many connections from that one on are attacked."""

    def __init__(self, port, attack, *, at_handshake=False, number=1, times=1, drip=False):
        self.upstream, self.attack, self.at_handshake = port, attack, at_handshake
        self.attacked, self.drip = range(number, number + times), drip
        # The code with which the program has closed each attacked connection, or how it ended.
        self.closings = []
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, name):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/{name}"

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            arguments = (client, self.connections)
            self.connections += 1
            threading.Thread(target=self.serve_connection, args=arguments, daemon=True).start()

    def serve_connection(self, client, number):
        """Relays one connection, and attacks it if its turn has come."""
        isAttacked = number in self.attacked and self.attack is not None
        try:
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(4096) or reset(client)
            if isAttacked and self.at_handshake:
                return self.strike(client, FrameReader())
            server = socket.create_connection(("127.0.0.1", self.upstream))
            server.sendall(head)
            threading.Thread(target=self.relay, args=(server, client), daemon=True).start()
            reader = FrameReader()
            while data := client.recv(65536):
                for raw, opcode, payload in reader.read(data):
                    if isAttacked and opcode == 1 and b'"type":"message"' in payload:
                        return self.strike(client, reader)
                    server.sendall(raw)
            server.shutdown(socket.SHUT_WR)
        except (OSError, TypeError):
            pass

    def relay(self, server, client):
        """Passes the honest server's bytes on, perhaps one at a time."""
        try:
            while data := server.recv(65536):
                if self.drip:
                    for byte in data:
                        client.sendall(bytes([byte]))
                else:
                    client.sendall(data)
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def strike(self, client, reader):
        """Attacks, and waits for what the program does about it."""
        ending = "nothing"
        try:
            client.settimeout(CLOSE_LIMIT)
            self.attack(client)
            while data := client.recv(65536):
                for _, opcode, payload in reader.read(data):
                    if opcode == 8:
                        ending = int.from_bytes(payload[:2], "big") if payload else 1005
            ending = "end" if ending == "nothing" else ending
        except socket.timeout:
            pass
        except (OSError, ValueError):
            ending = "end" if ending == "nothing" else ending
        self.closings.append(ending)
        client.close()
