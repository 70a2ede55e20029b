"""The live driver for HTTP against a raw server that floods: it sends without end, and as fast as the program takes it. The
program names a reason and ends, within the memory that it is given; the next run against an honest server is answered."""

import socket
import threading
import zlib

from model_server import ModelServer
from program import case

PART = "flood"
# What the program takes up without a flood is about 100 MB, most of it the stacks of its threads.
MEMORY = 400_000_000
OK = b"HTTP/1.1 200 OK\r\n"
STREAM = OK + b"Content-Type: text/event-stream\r\n"
TOO_LONG = "The answer was too long and has been cut."
UNREADABLE = "The answer could not be read. Please try again."

honest = ModelServer()


def pieces(piece):
    """One piece again and again."""
    while True:
        yield piece


def bomb(text):
    """A compressed body of one text, a thousand times as long as what is sent."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    while True:
        piece = packer.compress(text)
        if piece:
            yield piece


def flood(begin, body):
    """Starts a server that floods each connection; returns its address."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(connection):
        try:
            connection.recv(65536)
            connection.sendall(begin)
            for piece in body():
                connection.sendall(piece)
            connection.recv(65536)
        except OSError:
            pass

    def accept():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


def flooded(name, begin, body, sentence):
    """A case of a flood that ends in a reason."""

    @case(PART, name)
    def run(program):
        options = ["--backend", "openai", "--model", "m", "--url"]
        said = program.run(["Hello"], *options, flood(begin, body), memory=MEMORY)
        said.must_have(sentence, status=1)
        said = program.run(["Hello"], *options, honest.url("plain"))
        said.must_have("2. assistant: You said: Hello")


flooded("heads without end", OK, lambda: pieces(b"X-Header: " + b"x" * 1000 + b"\r\n"), TOO_LONG)
flooded("a head without end", OK + b"X-Header: ", lambda: pieces(b"x" * 65536), TOO_LONG)
flooded("interim answers without end", b"", lambda: pieces(b"HTTP/1.1 103 Early Hints\r\n\r\n"), UNREADABLE)
flooded("a line without end", STREAM + b"\r\ndata: ", lambda: pieces(b"x" * 65536), TOO_LONG)
flooded("a bomb", STREAM + b"Content-Encoding: gzip\r\n\r\n", lambda: bomb(b"data: " + b"x" * 1_000_000), UNREADABLE)
flooded("a redirect in a circle", b"HTTP/1.1 307 x\r\nLocation: /v1/chat/completions\r\nContent-Length: 0\r\n"
        b"Connection: close\r\n\r\n", lambda: iter(()), "The server redirects in a circle")
flooded("a demand for a password", b'HTTP/1.1 401 x\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n'
        b"Connection: close\r\n\r\n", lambda: iter(()), "! The server wants a key.")
