"""`noughts COMMAND`: the right module runs, and a wrong name is explained."""

from __future__ import annotations

from importlib import import_module

import pytest

from noughts.__main__ import COMMANDS, main


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert callable(import_module(COMMANDS[name][0]).main)
    with pytest.raises(SystemExit) as exit:
        main([name, "--help"])

    assert exit.value.code == 0
    assert "usage: " in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["--help"], ["help"]])
def test_without_a_command_all_are_listed(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    listed = capsys.readouterr().out
    assert all(f"  {name} " in listed for name in COMMANDS)


def test_an_unknown_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sevre"]) == 2
    assert "'sevre'" in capsys.readouterr().err
