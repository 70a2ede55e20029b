"""A Clawline server by the websockets package from PyPI. The path of a connection names an account and how its server
misbehaves: `--url http://127.0.0.1:PORT/closes/1` is the account `closes/1`, whose first connection is closed in the middle.
What a server knows stands in account.py; here is only how it is told. Start at `handle`."""

import json
import socket
import struct
import threading
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from account import Account

# 3 MiB: over the limit of 1 MiB for a frame that the program reads.
OVERSIZED = 3 << 20


class Connection:
    """One connection of a device, and the ways in which it is told frames, by their names in a path."""

    def __init__(self, websocket, account, number):
        self.websocket, self.account, self.number = websocket, account, number
        self.pings = []

    def send(self, frame):
        self.websocket.send(json.dumps(frame, ensure_ascii=False))

    def each(self, frames):
        for frame in frames:
            self.send(frame)

    def plain(self, frames):
        self.each(frames)

    def fragments(self, frames):
        """Two bytes at a time, so that characters are split, with pings and empty ones among them."""
        for frame in frames:
            self.websocket.send(self.pieces(json.dumps(frame, ensure_ascii=False).encode()), text=True)

    def pieces(self, data):
        for start in range(0, len(data), 2):
            yield data[start : start + 2]
            if start % 16 == 0:
                self.pings.append(self.websocket.ping())
                yield b""

    def doubled(self, frames):
        """Each frame twice."""
        self.each(frame for frame in frames for _ in range(2))

    def shuffled(self, frames):
        """The acknowledgement last, behind the reply."""
        if frames[0]["type"] == "ack":
            frames = frames[1:] + frames[:1]
        self.each(frames)

    def closes(self, frames):
        """Closes in the middle of the first reply."""
        if frames[0]["type"] != "ack" or self.account.connections > 1:
            return self.each(frames)
        self.each(frames[:4])
        self.websocket.close(1012, "restart")

    def vanishes(self, frames):
        """Is gone in the middle of the first reply, without a close."""
        if frames[0]["type"] != "ack" or self.account.connections > 1:
            return self.each(frames)
        self.each(frames[:4])
        self.websocket.socket.shutdown(socket.SHUT_RDWR)

    def forgets_to_acknowledge(self, frames):
        """Takes a message and breaks before it says so, so that the device sends it again."""
        if frames[0]["type"] != "ack" or self.account.connections > 1:
            return self.each(frames)
        self.websocket.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.websocket.socket.close()

    def slow(self, frames):
        """Waits before each frame."""
        for frame in frames:
            time.sleep(0.05)
            self.send(frame)

    def noise(self, frames):
        """Frames among others that mean nothing."""
        for frame in frames:
            self.websocket.send('{"type":"weather","sun":true}')
            self.websocket.send("[" * 1000)
            self.websocket.send('{"type":"message","id":7}')
            self.websocket.send('{"type":"ack","id":"c_nobody"}')
            self.websocket.send(b"\0\xff")
            self.websocket.send("")
            self.send({"unknown": None, **frame, "later": [{}]})

    def oversized(self, frames):
        """A message over the limit before each reply."""
        if frames[0]["type"] == "ack":
            self.send({"type": "message", "role": "assistant", "id": "s_big", "content": "x" * OVERSIZED})
        self.each(frames)

    def refuses(self, frames):
        """The account refuses the messages of its first connection (`handle`)."""
        self.each(frames)

    def revokes(self, frames):
        """Accepts no token any more."""
        if frames[0]["type"] == "auth_result":
            frames = [{"type": "auth_result", "success": False, "reason": "token_revoked"}]
        self.each(frames)

    def replaces(self, frames):
        """Gives the session to another device after the first message of a first connection."""
        self.each(frames)
        if frames[0]["type"] == "ack" and self.account.connections == 1:
            self.send({"type": "error", "code": "session_replaced", "message": "Replaced"})
            self.websocket.close(1008)


class ClawlineServer:
    """The server at a free port, in threads of its own."""

    def __init__(self):
        self.accounts = {}
        # For each name, how many pings had no pong; 0 when all had, and -1 for each that had none.
        self.pongs = {}
        self.problems = []
        self.lock = threading.Lock()
        self.server = serve(self.handle, "127.0.0.1", 0, max_size=None, ping_interval=None, close_timeout=2)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server.socket.getsockname()[1]

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def account(self, name):
        with self.lock:
            return self.accounts.setdefault(name, Account())

    def handle(self, websocket):
        """Answers the frames of one connection."""
        name = websocket.request.path.removesuffix("/ws")[1:]
        account = self.account(name)
        account.refuses = name.startswith("refuses/")
        connection = Connection(websocket, account, account.connections)
        tell = getattr(connection, name.split("/")[0].replace("-", "_"))
        device = None
        try:
            for text in websocket:
                frame = json.loads(text)
                device = frame.get("deviceId", device)
                tell(account.answer(frame, device))
        except (ConnectionClosed, OSError):
            pass
        except Exception as problem:  # a frame that no client may send
            self.problems.append(f"{name}: {problem!r}")
        with self.lock:
            pongs = sum(pong.is_set() for pong in connection.pings)
            self.pongs[name] = self.pongs.get(name, 0) + pongs - len(connection.pings)
