"""The live driver for WebSockets against the websockets package (clawline_server.py): whatever happens on the way, the server
has each message once, the program shows each reply once, and a message that the server refuses is shown as unsent."""

import uuid

from clawline_server import ClawlineServer
from program import case, expect

PART = "clawline"
# Characters of one to four bytes.
QUESTIONS = ["Grüße, 你好 👋", "And then?"]
UNANSWERED = "chat: not everything was sent and answered"

server = ClawlineServer()


def talk(program, manner, lines=QUESTIONS, **options):
    """Talks with an account of its own at a server that behaves so. Returns what was said, and the account."""
    name = f"{manner}/{uuid.uuid4()}"
    said = program.chat(server.url(name), ["Ada", *lines], **options)
    problems = [problem for problem in server.problems if problem.startswith(name)]
    expect(not problems, f"the server could not read a frame: {problems}; {said}")
    return said, server.account(name), name


def has_each_once(account, said, texts=QUESTIONS):
    """Fails unless the server has these messages, each once and in their order."""
    expect(account.texts() == texts, f"the server has {account.texts()}; {said}")


def answered(manner, name, connections=1):
    """A case in which all is sent and answered."""

    @case(PART, name)
    def run(program):
        said, account, _ = talk(program, manner)
        said.must_have(*(f"assistant: You said: {text}" for text in QUESTIONS))
        said.must_have(*(f"Ada: {text}" for text in QUESTIONS))
        has_each_once(account, said)
        expect(account.connections == connections, f"{account.connections} connections; {said}")


answered("plain", "a conversation")
answered("doubled", "every frame twice")
answered("shuffled", "the acknowledgement behind the reply")
answered("slow", "a slow server")
answered("noise", "unknown, broken, binary and empty messages among the others")
answered("closes", "a close in the middle of a reply", connections=2)
answered("vanishes", "a connection that ends in the middle of a reply", connections=2)


@case(PART, "fragments that split characters, with pings between them")
def fragments(program):
    said, account, name = talk(program, "fragments")
    said.must_have(*(f"assistant: You said: {text}" for text in QUESTIONS))
    has_each_once(account, said)
    # The last ones may come when the program has ended.
    expect(server.pongs.get(name, 0) > -20, f"{-server.pongs[name]} pings had no pong; {said}")


@case(PART, "a message whose acknowledgement is lost goes again under its id")
def resent(program):
    said, account, _ = talk(program, "forgets-to-acknowledge")
    said.must_have(*(f"assistant: You said: {text}" for text in QUESTIONS))
    has_each_once(account, said)
    said_again = [frame["id"] for frame in account.frames if frame.get("type") == "message"]
    expect(len(said_again) - len(set(said_again)) == account.resent, f"sent again under other ids: {said_again}")


@case(PART, "a message over the limit is told, and what follows is read")
def oversized(program):
    said, account, _ = talk(program, "oversized")
    said.must_have(*(f"assistant: You said: {text}" for text in QUESTIONS))
    expect("! A message is too long to be shown here." in said.output, f"no word of it: {said}")
    has_each_once(account, said)


@case(PART, "a reply of 900 KB is shown whole")
def big(program):
    said, _, _ = talk(program, "plain", ["big 900000"])
    expect(said.status == 0 and "assistant: " + "x" * 900_000 + "\n" in said.output, f"not whole: {said}")


@case(PART, "a message of the greatest length is sent whole, and a longer one refused")
def long_message(program):
    said, account, _ = talk(program, "plain", ["ü" * 32_768, "ü" * 32_769])
    expect(said.status == 1, f"not refused: {said}")
    has_each_once(account, said, ["ü" * 32_768])


@case(PART, "what the server refuses is shown as unsent with its reason, and goes by /retry")
def refuses(program):
    state = program.new_state()
    said, account, name = talk(program, "refuses", state=state)
    said.must_have(
        "! Failed to send: That is too much (/retry 1", "! Failed to send: That is too much (/retry 2", UNANSWERED, status=1
    )
    has_each_once(account, said, [])
    said = program.chat(server.url(name), ["/retry 1", "/retry 2"], state=state)
    said.must_have(*(f"assistant: You said: {text}" for text in QUESTIONS))
    has_each_once(account, said)


@case(PART, "a token that is revoked asks for a sign-in")
def revokes(program):
    said, account, _ = talk(program, "revokes")
    said.must_have("! You were signed out. Please connect again.", status=1)
    has_each_once(account, said, [])


@case(PART, "a session that another device takes leaves what is unsent for the next start")
def replaces(program):
    state = program.new_state()
    said, account, name = talk(program, "replaces", state=state)
    said.must_have("This conversation was opened on another device. Reconnect to continue here.", UNANSWERED, status=1)
    said = program.chat(server.url(name), [], state=state)
    expect(said.status == 0, f"not sent: {said}")
    has_each_once(account, said)


@case(PART, "the history of an account comes to another device")
def history(program):
    said, account, name = talk(program, "plain", ["one", "two"])
    other = program.chat(server.url(name), ["Ada", "three"])
    for text in ("one", "two", "three"):
        expect(other.output.count(f"Ada: {text}\n") == 1, f"“{text}” is not there once: {other}")
    has_each_once(account, other, ["one", "two", "three"])
