"""The exit codes and sentences of commands; their bars are seen in tests/e2e."""

from __future__ import annotations

import pytest

from server.command import Failed, answer, draw
from server.store import BadAddress, CannotOpen, Unavailable


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (Failed("cannot"), 1),
        (CannotOpen("cannot"), 1),
        (Unavailable("cannot"), 1),
        (BadAddress("cannot"), 2),
    ],
)
def test_a_problem_is_a_sentence_and_an_exit_code(
    problem: Exception, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> int:
        raise problem

    assert answer(work) == code
    assert capsys.readouterr() == ("", "cannot\n")


def test_ctrl_c_ends_a_command_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        raise KeyboardInterrupt

    assert answer(work) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_bar_fits_a_narrow_terminal() -> None:
    assert draw(1, 2, "rooms", width=4) == "[##..] 1 of 2 rooms"
    assert draw(0, 0, "rooms", width=4) == "[....] 0 of 0 rooms"
