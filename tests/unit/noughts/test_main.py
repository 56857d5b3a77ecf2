"""`noughts COMMAND`: the right module runs, and a wrong name is explained."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from noughts import __version__
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


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_is_printed(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([option]) == 0
    assert capsys.readouterr().out == f"noughts {__version__}\n"


def test_a_library_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "server.app", raising=False)
    monkeypatch.delitem(sys.modules, "server.__main__", raising=False)
    monkeypatch.setitem(sys.modules, "aiohttp", None)  # so that importing it fails

    assert main(["serve"]) == 2
    assert "noughts serve needs the library 'aiohttp'" in capsys.readouterr().err


def test_a_fault_of_our_own_is_not_taken_for_a_missing_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(COMMANDS, "broken", ("server.no_such_module", "cannot be imported"))

    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        main(["broken"])


def test_an_unknown_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sevre"]) == 2
    assert "'sevre'" in capsys.readouterr().err
