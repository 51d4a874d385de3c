"""A program that plays, and goes wrong in one way: ``odd_bot.py WAY [AT_ONCE [MARK]]``.

It goes wrong where a question's seed says so, so that the same decisions go wrong each time. ``MARK`` is for those who
look for its processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

ONE_OF = 61  # so many questions does it go wrong, at random


def say(text: str) -> None:
    os.write(1, text.encode())


def answer(number: int, action: object) -> str:
    return json.dumps({"id": number, "action": action}) + "\n"


def flood(*_: object) -> None:
    while True:
        say("x" * 50_000)


def end(*_: object) -> None:
    sys.exit("no idea")


def close(*_: object) -> None:
    os.close(1)
    time.sleep(1000)


def fill_memory(*_: object) -> None:
    held = []
    while True:
        held.append(bytearray(16 << 20))


WAYS = {
    "good": lambda q: say(answer(q["id"], q["legal"][0])),
    "crash": end,
    "hang": lambda q: time.sleep(1000),
    "flood": flood,
    "close": close,
    "memory": fill_memory,
    "illegal": lambda q: say(answer(q["id"], next(a for a in range(1000) if a not in q["legal"]))),
    "word": lambda q: say(answer(q["id"], "card")),
    "huge": lambda q: say(answer(q["id"], 10**30)),
    "garbage": lambda q: say("what?\n"),
    "array": lambda q: say("[" * 50_000 + "\n"),
    "bytes": lambda q: os.write(1, b"\xff\xfe\n"),
    "other": lambda q: say(answer(q["id"] + 10**6, q["legal"][0])),
    "nameless": lambda q: say(json.dumps({"action": q["legal"][0]}) + "\n"),
    "twice": lambda q: say(2 * answer(q["id"], q["legal"][0])),
    "many": lambda q: say(1000 * answer(q["id"], q["legal"][0])),
}


def start(way: str, at_once: int) -> None:
    """Everything up to the first question."""
    about = json.loads(sys.stdin.readline())
    assert about["protocol"] == 1
    if way == "unready":
        sys.exit("no weights here")
    if way == "silent":
        time.sleep(1000)
    if way == "noisy":  # more than a pipe holds
        os.write(2, b"y" * 300_000)
    if way == "family":
        more = [sys.executable, "-S", "-c", "import time; time.sleep(1000)", *sys.argv[3:]]
        subprocess.Popen(more)
        subprocess.Popen(more, start_new_session=True)
    say(json.dumps({"ready": True, "at_once": at_once, "name": "odd"}) + "\n")


def questions() -> Iterator[dict[str, Any]]:
    """What is asked; of questions that come together the last first."""
    held = b""
    while heard := os.read(0, 1 << 20):
        *lines, held = (held + heard).split(b"\n")
        yield from map(json.loads, reversed(lines))


def play(way: str) -> None:
    for question in questions():
        if way == "noisy":
            os.write(2, b"z" * 10_000 + b"\n")
        odd = question["seed"] % ONE_OF == 0
        WAYS[way if odd and way in WAYS else "good"](question)
    if way == "family":
        time.sleep(1000)


if __name__ == "__main__":
    chosen, together = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    start(chosen, together)
    play(chosen)
