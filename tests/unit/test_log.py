"""Lines of the log, as text and as JSON."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from server.log import Lines, Objects


def record(message: str, *arguments: object, fails: bool = False) -> logging.LogRecord:
    info = None
    if fails:
        try:
            raise ZeroDivisionError("oops")
        except ZeroDivisionError:
            info = sys.exc_info()
    found = logging.LogRecord("server.x", logging.WARNING, "", 0, message, arguments, info)
    found.created = 1_794_700_800.25
    return found


def test_a_line_begins_with_its_time_in_utc() -> None:
    assert Lines().format(record("to %s", "Ada")) == (
        "2026-11-15T00:00:00.250Z WARNING server.x: to Ada"
    )


def test_a_message_of_several_lines_stays_on_one() -> None:
    assert Lines().format(record("a\nb")).endswith("server.x: a\\nb")


def test_a_traceback_follows_its_line() -> None:
    first, *rest = Lines().format(record("failed", fails=True)).splitlines()

    assert first.endswith("failed")
    assert rest[0].startswith("Traceback")
    assert rest[-1] == "ZeroDivisionError: oops"


@pytest.mark.parametrize("fails", [False, True])
def test_json_is_one_object_on_one_line(fails: bool) -> None:
    [line] = Objects().format(record("a\n“b”", fails=fails)).splitlines()
    entry = json.loads(line)

    assert entry["time"] == "2026-11-15T00:00:00.250Z"
    assert (entry["level"], entry["logger"], entry["message"]) == ("warning", "server.x", "a\n“b”")
    assert ("traceback" in entry) is fails
