"""A device that speaks Clawline by the websockets package, as an app of somebody else would: it pairs, authenticates, and
reads what it is told in turn. Every wait has a limit."""

import json
import uuid

from websockets.sync.client import connect

from program import LIMIT, expect


def told(websocket):
    """The next frame."""
    return json.loads(websocket.recv(LIMIT))


class Device:
    """A device that a server has let in."""

    def __init__(self, url, name):
        self.url, self.identifier = url, str(uuid.uuid4())
        with connect(url) as websocket:
            request = {"type": "pair_request", "protocolVersion": 1, "deviceId": self.identifier, "claimedName": name}
            websocket.send(json.dumps({**request, "deviceInfo": {"platform": "test", "model": "websockets"}}))
            result = told(websocket)
        expect(result.get("success") is True, result)
        self.token = result["token"]

    def enter(self, **more):
        """A connection that is authenticated, with what is replayed."""
        websocket = connect(self.url, max_size=None)
        request = {"type": "auth", "protocolVersion": 1, "token": self.token, "deviceId": self.identifier}
        websocket.send(json.dumps({**request, **more}))
        result = told(websocket)
        expect(result.get("success") is True, result)
        return websocket, [told(websocket) for _ in range(result["replayCount"])]


def say(text):
    """A message as a device sends it."""
    return {"type": "message", "id": f"c_{uuid.uuid4()}", "content": text, "attachments": []}


def answer(websocket, message):
    """The reply to a message, behind its acknowledgement and its echo."""
    acks, echoes, partials = 0, [], []
    while True:
        frame = told(websocket)
        if frame["type"] == "ack":
            expect(frame["id"] == message["id"], frame)
            acks += 1
        elif frame["type"] == "message" and frame["role"] == "user":
            echoes.append(frame["content"])
        elif frame["type"] == "message" and frame["streaming"]:
            expect(not partials or frame["content"].startswith(partials[-1]), f"{partials} and then {frame}")
            partials.append(frame["content"])
        elif frame["type"] == "message":
            expect(acks == 1 and echoes == [message["content"]], f"{acks} acknowledgements and {echoes} before {frame}")
            return frame["content"]
