"""The program under test, as a process. Start here: `Program.run` feeds it lines and returns what it said; every wait has
a limit, and every process that was started ends with the run. A case is a function that raises `Unexpected` with what was
seen; `cases` collects them, and run.py runs them."""

import atexit
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# The program answers within milliseconds, and waits up to 8 s before a third connection; a slow machine has the rest.
LIMIT = 30.0


class Unexpected(Exception):
    """What a case saw instead of what it should have."""


def expect(condition, seen):
    """Fails the case with what was seen."""
    if not condition:
        raise Unexpected(seen if isinstance(seen, str) else repr(seen))


class Said:
    """What a run of the program said, and how it ended."""

    def __init__(self, status, output, errors, seconds):
        self.status, self.output, self.errors, self.seconds = status, output, errors, seconds

    def __str__(self):
        # Long replies would hide what matters.
        lines = [line[:200] for line in (self.output + self.errors).splitlines()]
        return f"exit status {self.status} after {self.seconds:.1f} s, and:\n" + "\n".join(lines[-40:])

    def must_have(self, *sentences, status=0):
        """Fails unless the run ended so and said each sentence, once."""
        expect(self.status == status, f"expected exit status {status}; {self}")
        for sentence in sentences:
            count = (self.output + self.errors).count(sentence)
            expect(count == 1, f"expected “{sentence}” once, not {count} times; {self}")


class Program:
    """The binary, and the folder for what its runs keep."""

    def __init__(self, binary):
        self.binary = os.path.abspath(binary)
        self.folder = tempfile.mkdtemp(prefix="interoperation-")
        self.running = set()
        self.lock = threading.Lock()
        self.count = 0
        atexit.register(self.end)

    def new_state(self):
        """A folder for the state of a new device."""
        with self.lock:
            self.count += 1
            return os.path.join(self.folder, f"state{self.count}")

    def start(self, *arguments, **options):
        """Starts a process of the program; `end` ends it at the latest."""
        environment = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
        process = subprocess.Popen([self.binary, *arguments], env=environment, **options)
        with self.lock:
            self.running.add(process)
        return process

    def run(self, lines, *arguments, limit=LIMIT, until=None, memory=None):
        """Feeds lines, waits for the end, and returns what was said. A run that takes too long fails the case. With
        `until`, the program is ended as by a shutdown once it has said that; with `memory`, more bytes of it are a crash."""
        began = time.monotonic()
        pipe = subprocess.PIPE
        most = memory and (lambda: resource.setrlimit(resource.RLIMIT_DATA, (memory, memory)))
        process = self.start(*arguments, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=most)
        timer = threading.Timer(limit, process.kill)
        timer.start()
        seen = b""
        try:
            try:
                process.stdin.write("".join(line + "\n" for line in lines).encode())
                if until is None:
                    process.stdin.close()
                else:
                    process.stdin.flush()
            except BrokenPipeError:
                pass
            while until is not None and until.encode() not in seen:
                piece = os.read(process.stdout.fileno(), 65536)
                if not piece:
                    break
                seen += piece
            if until is not None:
                process.send_signal(signal.SIGTERM)
            errors = []
            reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
            reader.start()
            seen += process.stdout.read()
            process.wait()
            reader.join()
        finally:
            timer.cancel()
            self.forget(process)
        seconds = time.monotonic() - began
        said = Said(process.returncode, seen.decode(errors="replace"), errors[0].decode(errors="replace"), seconds)
        expect(seconds < limit, f"no end within {limit:.0f} s: {said}")
        expect(said.status >= 0, f"a crash: {said}")
        return said

    def chat(self, url, lines, *, state=None, **options):
        """A run against a Clawline server."""
        state = state or self.new_state()
        return self.run(lines, "--backend", "clawline", "--url", url, "--state", state, **options)

    def serve(self, *arguments):
        """Starts the program as a server at a free port; returns its process and its address."""
        process = self.start("serve", "--port", "0", *arguments, stdout=subprocess.PIPE)
        timer = threading.Timer(LIMIT, process.kill)
        timer.start()
        greeting = process.stdout.readline().decode()
        timer.cancel()
        found = re.search(r"http://[0-9.:]*[0-9]", greeting)
        expect(found, f"chat serve said: {greeting}")
        # What it logs is read, or it would wait for a reader.
        threading.Thread(target=lambda: process.stdout.read(), daemon=True).start()
        return process, found.group(0)

    def forget(self, process):
        """Ends a process if it still runs."""
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            try:
                stream and stream.close()
            except (BrokenPipeError, ValueError):
                pass
        with self.lock:
            self.running.discard(process)

    def end(self):
        """Ends all that still runs, and removes what was kept."""
        for process in list(self.running):
            if process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


# The parts by name; each is a list of named cases.
cases = {}


def case(part, name):
    """Marks a function as a case; it gets the program."""

    def mark(function):
        cases.setdefault(part, []).append((name, function))
        return function

    return mark


def note(text):
    """Prints a line at once."""
    print(text, flush=True)
    sys.stdout.flush()
