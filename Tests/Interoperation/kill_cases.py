"""The program is killed at random moments while it sends (SIGKILL, a hundred times), over one state folder and one server.
Afterwards the server has every message once that a killed run had taken, or the program shows it as unsent.

A run has *taken* a message when it is stored: in the outbox or in a page of the state folder that the kill leaves behind.
What is shown is stored a few milliseconds later (rule C7), so an echo alone says less; how often a kill came between the two is
printed. What a kill loses before it is stored was never sent: the server must not have it twice all the same."""

import glob
import json
import os
import random
import re
import subprocess
import time

from device import Device
from program import case, expect, note

PART = "kill"
KILLS = 100
# A run is connected after some 20 ms and takes a message each 40 ms, so the kills come at each step of the work. A run
# without a line takes 50 ms; where it takes longer, so do the others.
LATEST_MS = 150
LATEST_IN_EMPTY_RUNS = 3
# So many lines that a run of 150 ms seldom comes to the last one.
LINES = 4
# An acknowledgement takes a while, so that many kills find a message on its way.
FAULT = ["--fault", "acknowledgement=delay:0.01"]
# The most that the server replays, and after how many runs another device looks: 25 runs are 200 messages and replies.
REPLAY = 500
LOOK = 25
# With fewer, the kills came too early to show anything.
LEAST = 30


def records(state, pattern):
    """The stored records of the one person and conversation."""
    found = []
    for path in glob.glob(os.path.join(state, "users.below", "*.below", pattern)):
        with open(path, encoding="utf-8") as file:
            found.append(json.load(file)["record"])
    return found


def stored(state):
    """The person's messages in the outbox and in the pages, by their texts: what is known of each."""
    folder = os.path.join("conversations.below", "main.below")
    known, names = {}, {}
    for record in records(state, os.path.join(folder, "pages.below", "*.record")):
        for message in record["messages"]:
            if message["role"] == "user":
                known[message["text"]] = message.get("status", "received")
                # A kill while a page is divided leaves a message in both halves, under one name.
                names.setdefault(message["text"], set()).add(message.get("client") or message["id"])
    for record in records(state, os.path.join(folder, "outbox.record")):
        known.update((entry["text"], "waiting") for entry in record["entries"])
    twice = {text: found for text, found in names.items() if len(found) > 1}
    expect(not twice, f"stored under two names: {twice}")
    return known


def forget_pace(state):
    """A device authenticates four times a minute at most (rule C2), also over restarts. So that all runs connect, the record
    of it goes."""
    for path in glob.glob(os.path.join(state, "users.below", "*.below", "pacing.record")):
        os.remove(path)


def kill_while_sending(program, url, state, run, moment):
    """One run with lines of its own, killed at a moment. Returns what it echoed."""
    forget_pace(state)
    pipe = subprocess.PIPE
    arguments = ["--backend", "clawline", "--url", url, "--state", state]
    process = program.start(*arguments, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
    lines = [f"message {run}.{number}" for number in range(LINES)]
    process.stdin.write("".join(line + "\n" for line in lines).encode())
    process.stdin.flush()
    time.sleep(moment)
    expect(process.poll() is None, f"run {run} ended by itself with {process.returncode}")
    process.kill()
    output = process.stdout.read().decode()
    process.wait()
    program.forget(process)
    return re.findall(rf"Ada: (message {run}\.\d+)$", output, re.MULTILINE)


class Witness:
    """Another device of the same person that reads the server's history: by the websockets package, and by the program with a
    state folder of its own. Each look reads what is new, since a server replays a part of a long history only."""

    def __init__(self, program, url):
        self.program, self.url, self.state = program, url, program.new_state()
        self.device = Device(url.replace("http://", "ws://") + "/ws", "Ada")
        self.history = []

    def look(self):
        """Reads what has come since the last look."""
        cursor = {"lastMessageId": self.history[-1]["id"]} if self.history else {}
        websocket, new = self.device.enter(**cursor)
        websocket.close()
        expect(len(new) < REPLAY, f"{len(new)} messages at once are more than the server replays")
        self.history += new
        forget_pace(self.state)
        said = self.program.chat(self.url, [] if cursor else ["Ada"], state=self.state)
        expect("Signed in as Ada." in said.output and said.status == 0, f"another device: {said}")

    def texts(self, role):
        """The texts on the server, oldest first."""
        return [message["content"] for message in self.history if message["role"] == role]


@case(PART, f"{KILLS} kills while it sends")
def kills(program):
    seed = int(os.environ.get("CHAT_KILL_SEED", random.randrange(1 << 32)))
    note(f"        kill: CHAT_KILL_SEED={seed} chooses the same moments again")
    moments = random.Random(seed)
    served, url = program.serve("--fast", *FAULT)
    state = program.new_state()
    program.chat(url, ["Ada"], state=state).must_have("Signed in as Ada.")
    witness = Witness(program, url)

    taken, echoed, unfinished = {}, [], 0
    for run in range(KILLS):
        if run % LOOK == 0:
            forget_pace(state)
            empty = program.chat(url, [], state=state).seconds
            latest = max(LATEST_MS / 1000, LATEST_IN_EMPTY_RUNS * empty)
        moment = moments.uniform(0.001, latest)
        echoed += kill_while_sending(program, url, state, run, moment)
        before = set(taken)
        for text, known in stored(state).items():
            taken.setdefault(text, f"stored after run {run}, killed after {moment * 1000:.0f} ms")
            unfinished += text not in before and known == "waiting"
        if run % LOOK == LOOK - 1:
            witness.look()

    forget_pace(state)
    last = program.chat(url, [], state=state)
    witness.look()
    program.forget(served)
    said, heard, other = witness.texts("user"), witness.texts("assistant"), stored(witness.state)

    context = f"seed {seed}; the last run: {last}"
    twice = sorted({text for text in said if said.count(text) > 1})
    expect(not twice, f"on the server more than once: {twice}; {context}")
    shown = stored(state)
    lost = {text: when for text, when in taken.items() if text not in said and shown.get(text) != "failed"}
    expect(not lost, f"neither on the server nor shown as unsent: {lost}; {context}")
    unknown = [text for text in said if text not in shown]
    expect(not unknown, f"on the server and not shown by the program: {unknown}; {context}")
    expect(set(other) == set(said), f"the other device misses {set(said) - set(other)}; {context}")
    order = [tuple(map(int, text.split(" ")[1].split("."))) for text in said]
    expect(order == sorted(order), f"not in the order of writing: {order}; {context}")
    replies = [f"You said: {text}" for text in said]
    expect(heard == replies, f"{len(heard)} replies to {len(said)} messages; {context}")
    expect(last.status == 0 or "failed" in shown.values(), f"the last run did not end well; {context}")
    expect(len(taken) >= LEAST, f"only {len(taken)} messages were taken; {context}")

    unstored = [text for text in echoed if text not in taken and text not in said]
    return (
        f"{len(taken)} messages taken, {unfinished} of them on their way when the kill came, {len(said)} on the server,"
        f" none twice, none lost; {len(unstored)} of {len(echoed)} were shown and not yet stored"
    )
