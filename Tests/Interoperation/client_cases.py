"""`chat serve` against clients that others wrote: the websockets package as a device that speaks Clawline, and raw frames that
no client may send, which must be refused with the code of RFC 6455, section 7.4.1. The server is one process for all cases,
so what one client does must not touch another."""

import base64
import json
import os
import socket
import struct
import threading
import uuid

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from device import Device, answer, say, told
from program import LIMIT, case, expect

PART = "client"
KEY = b"\x01\x02\x03\x04"

_lock = threading.Lock()
_served = []


def address(program):
    """The address of the one server."""
    with _lock:
        if not _served:
            _served.append(program.serve("--fast"))
        process, url = _served[0]
    expect(process.poll() is None, f"the server has ended with {process.returncode}")
    return url.replace("http://", "ws://") + "/ws"


def device(program, name):
    """A device of a new person."""
    return Device(address(program), f"{name} {uuid.uuid4().hex[:8]}")


@case(PART, "pairing, a message, its acknowledgement, echo and reply")
def conversation(program):
    websocket, history = device(program, "Grace").enter()
    with websocket:
        expect(history == [], history)
        message = say("Grüße, 你好 👋")
        websocket.send(json.dumps(message))
        reply = answer(websocket, message)
        expect(reply == "You said: Grüße, 你好 👋", reply)


@case(PART, "a message in fragments that split characters, with pings between them")
def fragments(program):
    websocket, _ = device(program, "Edsger").enter()
    message = say("Grüße 👋")
    data = json.dumps(message, ensure_ascii=False).encode()
    pongs = []

    def pieces():
        for start in range(0, len(data), 3):
            yield data[start : start + 3]
            pongs.append(websocket.ping())

    with websocket:
        websocket.send(pieces(), text=True)
        expect(answer(websocket, message) == "You said: Grüße 👋", "another reply")
        expect(all(pong.wait(LIMIT) for pong in pongs), "a ping has no pong")


@case(PART, "a message again under its id is on the server once")
def duplicate(program):
    barbara = device(program, "Barbara")
    websocket, _ = barbara.enter()
    message = say("once")
    with websocket:
        websocket.send(json.dumps(message))
        answer(websocket, message)
        websocket.send(json.dumps(message))
    websocket, history = barbara.enter()
    with websocket:
        texts = [frame["content"] for frame in history]
        expect(texts == ["once", "You said: once"], texts)
    websocket, missed = barbara.enter(lastMessageId=history[0]["id"])
    with websocket:
        expect([frame["content"] for frame in missed] == ["You said: once"], missed)


@case(PART, "a device that was cut off finds what it missed")
def cut_off(program):
    tony = device(program, "Tony")
    websocket, _ = tony.enter()
    websocket.send(json.dumps(say("are you there?")))
    websocket.socket.shutdown(socket.SHUT_RDWR)
    websocket, history = tony.enter()
    with websocket:
        # The server may not have read the message when the connection broke.
        texts = [frame["content"] for frame in history]
        expect(texts in ([], ["are you there?"], ["are you there?", "You said: are you there?"]), texts)


@case(PART, "a close is answered with its code")
def closing(program):
    websocket = connect(address(program))
    websocket.close(3001, "enough")
    expect(websocket.close_code == 3001, websocket.close_code)


@case(PART, "a wrong token, broken JSON and unknown types do not end the server")
def broken(program):
    with connect(address(program)) as websocket:
        wrong = {"type": "auth", "protocolVersion": 1, "token": "x", "deviceId": str(uuid.uuid4())}
        websocket.send(json.dumps(wrong))
        try:
            expect(told(websocket).get("success") is False, "a wrong token is taken")
        except ConnectionClosed:
            pass
    for text in ("{", "[" * 100_000, '{"type":"weather"}', "", '{"type":7}', b"\xff", "\0"):
        with connect(address(program)) as websocket:
            websocket.send(text)
            websocket.ping().wait(LIMIT)


@case(PART, "twenty devices at once")
def crowd(program):
    devices = [device(program, f"Crowd {index}").enter()[0] for index in range(20)]
    for index, websocket in enumerate(devices):
        message = say(f"I am {index}")
        websocket.send(json.dumps(message))
        expect(answer(websocket, message) == f"You said: I am {index}", "another reply")
    for websocket in devices:
        websocket.close()


def masked(head, payload=b"", length=None):
    """A frame of a client; `head` is its first byte."""
    length = length or bytes([0x80 | len(payload)])
    return bytes([head]) + length + KEY + bytes(byte ^ KEY[index % 4] for index, byte in enumerate(payload))


def raw(program):
    """A socket whose handshake is done."""
    host, port = address(program)[len("ws://") : -len("/ws")].split(":")
    connection = socket.create_connection((host, int(port)), timeout=LIMIT)
    key = base64.b64encode(os.urandom(16)).decode()
    connection.sendall(
        f"GET /ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
    )
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(1)
        expect(piece, f"the handshake ended with {head}")
        head += piece
    expect(b" 101 " in head, head)
    return connection


def refused(name, data, *codes):
    """A case of frames that must be refused by a close with one of these codes, and then by the end."""

    @case(PART, name)
    def run(program):
        with raw(program) as connection:
            connection.sendall(data)
            told = b""
            try:
                while piece := connection.recv(4096):
                    told += piece
            except ConnectionResetError:
                pass
            code = int.from_bytes(told[2:4], "big") if told[:1] == b"\x88" else told
            expect(code in codes, f"refused with {code} instead of {codes}")


refused("raw: no mask", b"\x81\x02hi", 1002)
refused("raw: a reserved bit", masked(0xC1, b"hi"), 1002)
refused("raw: a reserved opcode", masked(0x8B), 1002)
refused("raw: a ping of 126 bytes", masked(0x89, b"x" * 126, b"\xfe\0\x7e"), 1002)
refused("raw: a ping in fragments", masked(0x09, b"x"), 1002)
refused("raw: a continuation of nothing", masked(0x80, b"x"), 1002)
refused("raw: a message within another", masked(0x01, b"x") + masked(0x81, b"y"), 1002)
refused("raw: a length that is not the shortest", masked(0x81, b"hi", b"\xfe\0\x02"), 1002)
refused("raw: a length with its highest bit", masked(0x81, b"", b"\xff" + b"\xff" * 8), 1002)
refused("raw: a message of 4 EiB", masked(0x81, b"", b"\xff" + struct.pack("!Q", 1 << 62)), 1009)
refused("raw: a text that is not UTF-8", masked(0x81, b"\xc0\xaf"), 1007)
refused("raw: half a close code", masked(0x88, b"\x03"), 1002)
refused("raw: a close code that none may send", masked(0x88, struct.pack("!H", 1005)), 1002)


@case(PART, "raw: endless headers, half a request, garbage and a reset do not end the server")
def hostile_requests(program):
    host, port = address(program)[len("ws://") : -len("/ws")].split(":")
    for data in (b"GET /ws HTTP/1.1\r\n" + b"X: y\r\n" * 100_000, b"GET", os.urandom(1000), b"\r\n" * 1000, b""):
        with socket.create_connection((host, int(port)), timeout=LIMIT) as connection:
            try:
                connection.sendall(data)
                connection.settimeout(0.2)
                connection.recv(1000)
            except (socket.timeout, ConnectionResetError, BrokenPipeError):
                pass
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    conversation(program)
