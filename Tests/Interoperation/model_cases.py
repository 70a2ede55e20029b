"""The live driver for HTTP against Python's http.server (model_server.py): whatever the server does, the program shows the
whole reply, or names a reason below the message, and ends with status 1. It asks once more only where nothing was heard."""

from model_server import ModelServer
from program import case, expect

PART = "model"
# Characters of one to four bytes.
QUESTION = "Grüße, 你好 👋"
REPLY = "2. assistant: You said: " + QUESTION
UNANSWERED = "chat: not everything was sent and answered"
LOST_BEFORE = "The connection was lost before the answer. Please try again. (/retry 1 or /delete 1)"
LOST_AFTER = "The connection was lost. Retry to hear the rest. (/retry 2 or /delete 2)"
UNREADABLE = "The answer could not be read. Please try again. (/retry 1 or /delete 1)"

server = ModelServer()


def ask(program, manner, *lines, **options):
    """Asks the server that behaves so."""
    arguments = ["--backend", "openai", "--model", "m", "--url", server.url(manner)]
    return program.run(lines or [QUESTION], *arguments, **options)


def answered(manner, name):
    """A case in which the reply is shown, whole and once."""

    @case(PART, name)
    def run(program):
        said = ask(program, manner)
        said.must_have(REPLY)
        expect("!" not in said.output, f"a complaint: {said}")
        asked(manner, 1)


def refused(manner, name, *sentences, times=1):
    """A case in which a reason is named."""

    @case(PART, name)
    def run(program):
        said = ask(program, manner)
        said.must_have(f"1. you: {QUESTION}", *sentences, UNANSWERED, status=1)
        asked(manner, times)


def asked(manner, times):
    """Fails unless the server was asked so often."""
    questions = server.questions(manner)
    expect(len(questions) == times, f"the server was asked {len(questions)} times instead of {times}: {questions}")


answered("plain", "a reply")
answered("slow", "a reply in slow pieces")
answered("split", "a reply byte by byte, with CRLF")
answered("never-done", "a reply that ends without [DONE]")
answered("noise", "a reply among comments, unknown events and broken JSON")
refused("cut-chunks", "a reply that is cut in a chunk", REPLY, LOST_AFTER)
refused("cut-early", "an answer that is cut behind its head", LOST_BEFORE, times=2)
refused("error-body", "success with an error in the body", "! The model is not loaded (/retry 1")
refused("error-event", "an error in the middle", REPLY, "! Out of memory (/retry 2")
refused("unknown-model", "a refusal with a reason", "! There is no model m (/retry 1")
refused("broken", "a failure of the server", "! The server could not answer. Please try again. (/retry 1")
refused("endless", "an endless line", "! The answer was too long and has been cut. (/retry 1")
refused("wrong-type", "the page of a proxy", UNREADABLE)
refused("no-http", "an answer that is no HTTP", UNREADABLE)


@case(PART, "a reply that is not UTF-8")
def no_unicode(program):
    ask(program, "no-unicode").must_have("2. assistant: before \ufffd\ufffd after")


@case(PART, "a reply that is cut before [DONE], and asked for again")
def cut(program):
    said = ask(program, "cut", QUESTION, "/retry 2", "And then?")
    said.must_have(LOST_AFTER, "assistant: You said: And then?")
    roles = [turn["role"] for turn in server.questions("cut")[-1]["messages"]]
    expect(roles == ["user", "assistant", "user"], f"the model was told {roles}; {said}")


@case(PART, "429 with Retry-After, and asked again after that time")
def busy(program):
    said = ask(program, "busy", QUESTION, "/retry 1")
    said.must_have(REPLY, "! The server asked to wait before trying again. (until ", "(/retry 1")
    expect(said.seconds > 1, f"the program did not wait a second: {said}")
    asked("busy", 2)


@case(PART, "a question whose answer was lost is there after a restart")
def restart(program):
    state = program.new_state()
    for manner, status in (("cut-early", 1), ("plain", 0)):
        lines = [QUESTION] if status else ["/retry 1"]
        arguments = ["--backend", "openai", "--model", "m", "--url", server.url(manner + "/restart")]
        said = program.run(lines, *arguments, "--state", state)
        expect(said.status == status, f"expected exit status {status}; {said}")
    said.must_have(REPLY)


@case(PART, "a server that is gone")
def gone(program):
    closed = ModelServer()
    url = closed.url("plain")
    closed.close()
    said = program.run([QUESTION], "--backend", "openai", "--model", "m", "--url", url)
    said.must_have("! Failed to connect: the server could not be reached (/retry 1", UNANSWERED, status=1)
