"""An OpenAI-compatible server by Python's http.server. The first part of a path names what the server does with the
answer, so `--url http://127.0.0.1:PORT/cut/v1` gets one that is cut. The answer to a question repeats it behind “You
said: ”. Start at `Answer.do_POST`."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# One over the 1 MiB that the program reads of a line.
ENDLESS = 3 << 20


def chunk(**delta):
    """An event with a piece of a reply."""
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return b"data: " + json.dumps({"id": "x", "choices": [choice]}, ensure_ascii=False).encode() + b"\n\n"


LAST = b'data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"


class Answer(BaseHTTPRequestHandler):
    """One request and its answer."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Says nothing: standard output is for the cases."""

    def do_POST(self):
        """Reads the question and answers as the path says."""
        body = self.rfile.read(int(self.headers["content-length"]))
        manner = self.path.split("/")[1]
        question = json.loads(body)
        with self.server.lock:
            asked = self.server.questions.setdefault(self.path.split("/v1")[0][1:], [])
            asked.append(question)
            number = len(asked)
        try:
            getattr(self, manner.replace("-", "_"))(question["messages"][-1]["content"], number)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    # What every answer is made of.

    def head(self, status=200, kind="text/event-stream", **headers):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.close_connection = True

    def chunked(self):
        self.head(transfer_encoding="chunked")

    def piece(self, data):
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def page(self, status, value, **headers):
        self.head(status, "application/json", **headers)
        self.wfile.write(json.dumps(value).encode())

    @staticmethod
    def words(question):
        return b"".join(chunk(content=word) for word in ("You ", "said: ", question))

    # The manners of the server, by their names in a path.

    def plain(self, question, _):
        self.chunked()
        self.piece(chunk(role="assistant") + self.words(question) + LAST + DONE)
        self.piece(b"")

    def slow(self, question, _):
        """Seven bytes at a time."""
        self.chunked()
        data = self.words(question) + LAST + DONE
        for start in range(0, len(data), 7):
            self.piece(data[start : start + 7])
            time.sleep(0.005)
        self.piece(b"")

    def split(self, question, _):
        """A byte at a time, so that each character and each line end is split."""
        self.chunked()
        for byte in (self.words(question) + LAST + DONE).replace(b"\n", b"\r\n"):
            self.piece(bytes([byte]))
        self.piece(b"")

    def never_done(self, question, _):
        """Ends behind the finish reason, without `[DONE]`, as some servers do."""
        self.head()
        self.wfile.write(self.words(question) + LAST)

    def cut(self, question, number):
        """Ends in the middle as if that were all, once."""
        if number > 1:
            return self.plain(question, number)
        self.head()
        self.wfile.write(self.words(question))

    def cut_chunks(self, question, _):
        """Ends in the middle of a chunk."""
        self.chunked()
        self.piece(self.words(question))
        self.wfile.write(b"ffff\r\ndata: {")

    def cut_early(self, question, _):
        """Ends behind the head."""
        self.chunked()

    def error_body(self, *_):
        self.page(200, {"error": {"message": "The model is not loaded", "type": "server_error", "code": None}})

    def error_event(self, question, _):
        """Fails in the middle of the stream."""
        self.head()
        self.wfile.write(self.words(question) + b'data: {"error":{"message":"Out of memory","type":"x"}}\n\n')

    def busy(self, question, number):
        """Wants to be left alone, once."""
        if number == 1:
            return self.page(429, {"error": {"message": "Slow down", "type": "requests"}}, retry_after="1")
        self.plain(question, number)

    def unknown_model(self, *_):
        self.page(404, {"error": {"message": "There is no model m", "type": "not_found"}})

    def broken(self, *_):
        self.page(500, {"error": {"message": "Internal", "type": "server_error"}})

    def endless(self, *_):
        """One line that does not end."""
        self.chunked()
        self.piece(b'data: {"choices":[{"delta":{"content":"')
        for _ in range(ENDLESS >> 16):
            self.piece(b"x" * (1 << 16))
        self.piece(b"")

    def wrong_type(self, *_):
        """The page of a proxy."""
        self.head(kind="text/html")
        self.wfile.write(b"<html><title>Sign in to the network</title></html>")

    def no_unicode(self, *_):
        self.head()
        self.wfile.write(b'data: {"choices":[{"delta":{"content":"before \xff\xfe after"}}]}\n\n' + LAST + DONE)

    def noise(self, question, _):
        """Comments, unknown events and members, broken JSON, and events twice behind the end."""
        self.head()
        self.wfile.write(b"\xef\xbb\xbf: hello\nretry: x\nid: \0\n\n")
        self.wfile.write(b'data: {"choices":7}\n\ndata: {]\n\ndata:\n\nevent: x\ndata: 1\n\ndata: [[[[\n\n')
        self.wfile.write(self.words(question) + LAST + DONE + self.words(question) + DONE)

    def no_http(self, *_):
        self.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n")
        self.close_connection = True


class ModelServer:
    """The server at a free port, in threads of its own."""

    def __init__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.server.daemon_threads = True
        self.server.lock = threading.Lock()
        self.server.questions = {}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, manner):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{manner}/v1"

    def questions(self, manner):
        """The requests so far."""
        return self.server.questions.get(manner, [])

    def close(self):
        """Gives the port back."""
        self.server.shutdown()
        self.server.server_close()
