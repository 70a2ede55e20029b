"""The live driver for WebSockets against what no server may send (hostile_proxy.py, RFC 6455). On one connection the program
meets the attack; it closes with the code of RFC 6455, section 7.4.1, connects again, and then everything is sent, once."""

import random
import struct
import uuid

from clawline_server import ClawlineServer
from hostile_proxy import HostileProxy, frame, reset
from program import case, expect

PART = "hostile"
UNHARMED = "Grüße"
# Fixed, so that a failure comes again.
SEED = 6455

server = ClawlineServer()
HANDSHAKE = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


def meet(program, attack, **options):
    """Meets an attack. Returns what was said, how the attacked connection ended, and the account."""
    proxy = HostileProxy(server.port, attack, **options)
    name = f"plain/{uuid.uuid4()}"
    said = program.chat(proxy.url(name), ["Ada", UNHARMED])
    account = server.account(name)
    expect(account.texts() == [UNHARMED], f"the server has {account.texts()}; {said}")
    said.must_have(f"assistant: You said: {UNHARMED}")
    return said, proxy.closings, account


def attacked(name, attack, *closings):
    """A case of an attack after a message was sent, with the ways in which the program may close."""

    @case(PART, name)
    def run(program):
        said, ended, _ = meet(program, attack)
        expect(len(ended) == 1 and ended[0] in closings, f"closed with {ended} instead of {closings}; {said}")


def sends(data):
    """An attack by bytes."""
    return lambda connection: connection.sendall(data)


attacked("a reserved bit", sends(frame(0xC1, b"hi")), 1002)
attacked("a reserved opcode", sends(frame(0x83)), 1002)
attacked("a masked frame of a server", sends(b"\x81\x82\0\0\0\0hi"), 1002)
attacked("a length with its highest bit", sends(frame(0x81, length=b"\x7f" + b"\xff" * 8)), 1002)
attacked("a length that is not the shortest", sends(frame(0x81, b"hi", length=b"\x7e\0\x02")), 1002)
attacked("a text that is not UTF-8", sends(frame(0x81, b"\xc3\x28")), 1007)
attacked("a text that ends within a character", sends(frame(0x81, b"\xe2\x82")), 1007)
attacked("half a surrogate in fragments", sends(frame(0x01, b"\xed") + frame(0x80, b"\xa0\x80")), 1007)
attacked("a ping of 126 bytes", sends(frame(0x89, b"x" * 126)), 1002)
attacked("a ping in fragments", sends(frame(0x09, b"x")), 1002)
attacked("a continuation of nothing", sends(frame(0x80, b"x")), 1002)
attacked("a message within another", sends(frame(0x01, b"x") + frame(0x81, b"y")), 1002)
attacked("half a close code", sends(frame(0x88, b"\x03")), 1002)
attacked("a close code that none may send", sends(frame(0x88, struct.pack("!H", 1006))), 1002)
attacked("a close whose reason is not UTF-8", sends(frame(0x88, struct.pack("!H", 1000) + b"\xff")), 1007)
attacked("a close, and frames behind it", sends(frame(0x88, struct.pack("!H", 1001)) + frame(0x81, b"\xff")), 1001)
attacked("garbage", sends(random.Random(SEED).randbytes(4096)), 1002, 1007)
attacked("HTTP in the middle", sends(b"HTTP/1.1 400 Bad Request\r\n\r\n"), 1002)
attacked("a reset", reset, "end")


@case(PART, "half a frame, and the end")
def half(program):
    def attack(connection):
        connection.sendall(frame(0x81, b"{", length=b"\x7e\x10\0"))
        connection.close()

    meet(program, attack)


@case(PART, "a length of 4 EiB")
def giant(program):
    said, ended, _ = meet(program, sends(frame(0x81, b"x" * 1000, length=b"\x7f" + struct.pack("!Q", 1 << 62))))
    expect(ended in ([1009], ["end"]), f"closed with {ended}; {said}")


@case(PART, "a flood of pings, of which no pong is read")
def flood(program):
    def attack(connection):
        # The program reads no more while its pongs are not taken, so this waits.
        connection.settimeout(1)
        connection.sendall(frame(0x89, b"x" * 125) * 100_000)
        connection.sendall(frame(0x88, struct.pack("!H", 1013)))

    meet(program, attack)


@case(PART, "a break behind pings is told, though a pong finds it")
def break_behind_pings(program):
    def attack(connection):
        connection.sendall(frame(0x89, b"x") * 10_000)
        reset(connection)

    said, _, _ = meet(program, attack)
    # An acknowledgement is waited for 35 s.
    expect(said.seconds < 15, f"the break was not heard: {said}")


@case(PART, "an endless message in fragments of nothing")
def empty_fragments(program):
    def attack(connection):
        connection.sendall(frame(0x01) + frame(0x00) * 1_000_000)
        connection.close()

    meet(program, attack)


def opened(name, attack):
    """A case of an attack in place of the answer to a handshake."""

    @case(PART, name)
    def run(program):
        said, ended, account = meet(program, attack, at_handshake=True)
        expect(ended == ["end"], f"the handshake ended with {ended}; {said}")
        expect(account.connections == 1, f"{account.connections} connections; {said}")


opened("handshake: garbage", sends(random.Random(SEED).randbytes(4096)))
opened("handshake: a reset", reset)
opened("handshake: a page", sends(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"))
opened("handshake: another protocol", sends(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"))
opened("handshake: a wrong proof", sends(HANDSHAKE + b"Sec-WebSocket-Accept: x\r\n\r\n"))
opened("handshake: no proof", sends(HANDSHAKE + b"\r\n"))
opened("handshake: a redirect", sends(b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/ws\r\n\r\n"))
opened("handshake: busy", sends(b"HTTP/1.1 503 x\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n"))
opened("handshake: interim answers", sends(b"HTTP/1.1 102 x\r\n\r\n" * 2_000))


@case(PART, "handshake: endless headers")
def endless_headers(program):
    sent = []

    def attack(connection):
        connection.sendall(HANDSHAKE)
        # An end, so that a program that reads all fails the case and not the machine.
        while len(sent) < 10_000:
            connection.sendall(b"X-Header: " + b"x" * 1000 + b"\r\n")
            sent.append(1)

    _, ended, _ = meet(program, attack, at_handshake=True)
    expect(ended == ["end"] and len(sent) < 10_000, f"ended with {ended} after {len(sent)} KB")


@case(PART, "an honest server byte by byte")
def drip(program):
    said, _, account = meet(program, None, drip=True)
    expect(account.connections == 1, f"{account.connections} connections; {said}")


@case(PART, "a server that attacks each time loses no message")
def again_and_again(program):
    state = program.new_state()
    name = f"plain/{uuid.uuid4()}"
    proxy = HostileProxy(server.port, sends(frame(0xF1)), times=1_000)
    said = program.chat(proxy.url(name), ["Ada", UNHARMED], state=state, until="* Reconnecting...")
    expect(said.status == 128 + 15, f"not ended by the signal: {said}")
    expect(server.account(name).texts() == [], f"the server has {server.account(name).texts()}; {said}")
    said = program.chat(server.url(name), [], state=state)
    expect(said.status == 0 and server.account(name).texts() == [UNHARMED], f"lost: {said}")
