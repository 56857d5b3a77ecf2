"""Settings: what the command line and the environment ask for, and a sentence for what is wrong."""

from __future__ import annotations

import pytest

from server.config import read_settings
from server.live.limits import Limits


def test_every_limit_is_a_setting() -> None:
    settings = read_settings(["--limit", "idle=2.5", "--limit=connections=7"], {})
    assert settings.limits == Limits(idle=2.5, connections=7)


def test_a_limit_may_come_from_the_environment_and_the_command_line_wins() -> None:
    variables = {"NOUGHTS_LIMIT": "ping=3 hello=4"}
    limits = read_settings(["--limit=hello=5"], variables).limits
    assert (limits.ping, limits.hello) == (3, 5)


def test_a_limit_may_be_named_where_the_others_are_lifted() -> None:
    limits = read_settings(["--no-limits", "--limit=commands_at_once=3"], {}).limits
    assert limits.commands_at_once == 3
    assert limits.rooms_per_minute > 1_000_000


@pytest.mark.parametrize("wrong", ["none=1", "idle", "idle=", "idle=x", "idle=0", "idle=-1"])
@pytest.mark.parametrize("way", ["argument", "variable"])
def test_a_limit_that_makes_no_sense_is_explained(
    wrong: str, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, variables = [f"--limit={wrong}"], {"NOUGHTS_LIMIT": wrong}
    with pytest.raises(SystemExit):
        read_settings(
            arguments if way == "argument" else [], variables if way != "argument" else {}
        )
    said = capsys.readouterr().err
    assert "limit" in said.lower()
    assert wrong.partition("=")[0] in said


@pytest.mark.parametrize("wrong", ["connections=1.5", "idle=nan", "idle=inf"])
def test_counts_are_whole_and_times_are_numbers(
    wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        read_settings(["--limit", wrong], {})
    assert "wants a" in capsys.readouterr().err
