"""Runs the cases: `run.py BINARY [PART …]`. Prints a line for each, and what each part took; ends with status 1 and what was
seen if one fails. The cases wait more than they work, so several run at once; the kills have the machine to themselves."""

import concurrent.futures
import importlib
import sys
import time
import traceback

from program import Program, Unexpected, cases, note

PARTS = ["model", "flood", "clawline", "hostile", "client", "kill"]
# More than the processors: each waits for a backoff of 1–8 s.
AT_ONCE = 10


def run(part, program):
    """Runs a part, and returns the names of the cases that failed."""
    importlib.import_module(part + "_cases")
    failed = []
    began = time.monotonic()

    def one(named):
        name, function = named
        start = time.monotonic()
        try:
            seen = function(program)
            note(f"ok      {part}: {name}{f': {seen}' if seen else ''} ({time.monotonic() - start:.1f} s)")
        except Unexpected as unexpected:
            failed.append(name)
            note(f"FAILED  {part}: {name}: {unexpected}")
        except Exception:
            failed.append(name)
            note(f"FAILED  {part}: {name}: {traceback.format_exc()}")

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(one, cases.get(part, [])))
    note(f"        {part}: {len(cases.get(part, []))} cases in {time.monotonic() - began:.1f} s")
    return [f"{part}: {name}" for name in failed]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = Program(sys.argv[1])
    failed = []
    try:
        for part in sys.argv[2:] or PARTS:
            failed += run(part, program)
    finally:
        program.end()
    if failed:
        sys.exit("failed: " + "; ".join(failed))


if __name__ == "__main__":
    main()
