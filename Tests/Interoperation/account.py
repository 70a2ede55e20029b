"""What a Clawline server knows of one account: its messages, each once for the id that its device gave it. Frames are
dictionaries; nothing here knows a socket, so that two servers share it (clawline_server.py). Start at `answer`."""

import itertools
import threading
import time
import uuid

_numbers = itertools.count(1)


class Account:
    """An account with one person, whose every message is answered by “You said: ” and its text."""

    def __init__(self):
        self.lock = threading.Lock()
        self.history = []
        # What each device sent under which id, with what the server made of it.
        self.taken = {}
        self.resent = 0
        self.connections = 0
        # Whether the messages of the first connection are refused.
        self.refuses = False
        # Every frame of a device, for the cases.
        self.frames = []

    def texts(self, role="user"):
        """The texts of the history."""
        return [message["content"] for message in self.history if message["role"] == role]

    def _add(self, **message):
        stored = {
            "type": "message",
            "id": f"s_{next(_numbers)}",
            "timestamp": int(time.time() * 1000),
            "streaming": False,
            **message,
        }
        self.history.append(stored)
        return stored

    def answer(self, frame, device):
        """The frames that answer a frame of a device."""
        with self.lock:
            self.frames.append(frame)
            kind = frame.get("type")
            if kind == "pair_request":
                return [{"type": "pair_result", "success": True, "token": f"t.{uuid.uuid4()}", "userId": "ada"}]
            if kind == "auth":
                return self._authenticate(frame.get("lastMessageId"))
            if kind == "message":
                return self._take(frame, device)
            return [{"type": "error", "code": "invalid_message", "message": "Unknown type"}]

    def _authenticate(self, cursor):
        self.connections += 1
        known = [message["id"] for message in self.history]
        missed = self.history[known.index(cursor) + 1 :] if cursor in known else list(self.history)
        result = {
            "type": "auth_result",
            "success": True,
            "userId": "ada",
            "sessionId": f"sess_{self.connections}",
            "replayCount": len(missed),
            "replayTruncated": False,
            "historyReset": cursor not in known,
        }
        return [result] + missed

    def _take(self, frame, device):
        """A message again is acknowledged again, and nothing else. A refusal does not say of what, as the running
        provider's does not."""
        if self.refuses and self.connections == 1:
            return [{"type": "error", "code": "payload_too_large", "message": "That is too much"}]
        ack = {"type": "ack", "id": frame["id"]}
        if frame["id"] in self.taken:
            self.resent += 1
            return [ack]
        self.taken[frame["id"]] = frame["content"]
        echo = self._add(role="user", content=frame["content"], deviceId=device, attachments=[])
        reply = self._add(role="assistant", content=self.reply(frame["content"]))
        growing = [
            {**reply, "content": reply["content"][:length], "streaming": True}
            for length in range(4, min(len(reply["content"]), 40), 4)
        ]
        return [ack, echo, *growing, reply]

    @staticmethod
    def reply(text):
        """The answer to a text; “big N” gets N characters."""
        if text.startswith("big "):
            return "x" * int(text[4:])
        return "You said: " + text
