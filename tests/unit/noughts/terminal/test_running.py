"""A command ends with the right code, and output is written as it can be shown."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from io import BytesIO, TextIOWrapper

import pytest

from noughts.errors import Error, Refused, Unreachable
from noughts.terminal.running import look_of, run
from noughts.terminal.styled import Look


class Output(TextIOWrapper):
    """Standard output in some encoding, at a terminal or not."""

    def __init__(self, encoding: str, *, is_terminal: bool) -> None:
        super().__init__(BytesIO(), encoding=encoding)
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


def test_a_command_has_its_own_code() -> None:
    async def command() -> int:
        return 3

    assert run("play", command()) == 3


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (Refused("no_such_room", "There is no such room."), 1),
        (Unreachable("Nothing answers."), 1),
        (Error("'x' is not the address of a page."), 2),
    ],
)
def test_a_problem_is_a_sentence_and_not_a_traceback(
    capsys: pytest.CaptureFixture[str], problem: Error, code: int
) -> None:
    async def command() -> int:
        raise problem

    assert run("play", command()) == code
    assert capsys.readouterr().err == f"noughts play: {problem}\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_command_politely(number: signal.Signals, code: int) -> None:
    tidied = []

    async def command() -> int:
        try:
            os.kill(os.getpid(), number)
            await asyncio.sleep(30)
        finally:
            tidied.append(True)
        return 0

    assert run("play", command()) == code
    assert tidied


@pytest.mark.parametrize(
    ("encoding", "is_terminal", "variables", "no_color", "look"),
    [
        ("utf-8", True, {"TERM": "xterm"}, False, Look(True, True, False)),
        ("utf-8", True, {"TERM": "xterm"}, True, Look(True, False, False)),
        ("utf-8", True, {"TERM": "xterm", "NO_COLOR": "1"}, False, Look(True, False, False)),
        ("utf-8", True, {"TERM": "xterm", "NO_COLOR": ""}, False, Look(True, True, False)),
        ("utf-8", True, {"TERM": "dumb"}, False, Look(False, False, False)),
        ("latin-1", True, {"TERM": "xterm"}, False, Look(True, True, True)),
        ("ascii", False, {"TERM": "xterm"}, False, Look(False, False, True)),
    ],
)
def test_output_is_written_as_it_can_be_shown(
    monkeypatch: pytest.MonkeyPatch,
    encoding: str,
    is_terminal: bool,
    variables: dict[str, str],
    no_color: bool,
    look: Look,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Output(encoding, is_terminal=is_terminal))

    assert look_of(no_color=no_color) == look
    print("愛")  # a name can have letters that the encoding lacks
