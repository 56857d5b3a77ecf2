"""docs/protocol.md §6: the process, its options, and its messages when it cannot start."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.dialling import dialled
from tests.support.fetching import fetch
from tests.support.serving import HANG, ROOT, serving


def run(*options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Start the server and wait until it exits."""
    return subprocess.run(
        [sys.executable, "-m", "server", *options],
        cwd=ROOT,
        env={**os.environ, "NOUGHTS_STORE": "memory:", "NOUGHTS_PORT": "0", **variables},
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )


def sentence(ended: subprocess.CompletedProcess[str]) -> str:
    """The one line on standard error."""
    assert ended.stdout == ""
    [line] = ended.stderr.splitlines()
    return line


def test_help_names_options_and_defaults_and_fits_100_columns() -> None:
    ended = run("--help")
    assert ended.returncode == 0
    assert ended.stderr == ""
    for option in ("host", "port", "store", "origin", "ai-pause", "limit", "open", "no-limits"):
        assert f"--{option}" in ended.stdout
    for usual in ("127.0.0.1", "8080", "sqlite:noughts.db", "500", "NOUGHTS_"):
        assert usual in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 100


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (["--port", "65536"], {}),
        ([], {"NOUGHTS_ORIGIN": "https://play.example nonsense"}),
    ],
)
def test_a_bad_option_is_answered_with_a_sentence_and_exit_code_2(
    options: list[str], variables: dict[str, str]
) -> None:
    ended = run(*options, **variables)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    complaint = [line for line in ended.stderr.splitlines() if "error:" in line]
    assert len(complaint) == 1
    assert complaint == ended.stderr.splitlines()[-1:]


def test_a_port_in_use_is_reported_in_one_sentence_with_exit_code_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run("--port", str(port))
    assert ended.returncode == 1
    assert str(port) in sentence(ended)


def test_an_unknown_kind_of_store_is_reported_in_one_sentence() -> None:
    ended = run("--store", "nonsense")
    assert ended.returncode != 0
    assert "nonsense" in sentence(ended)


def test_a_directory_is_no_store(tmp_path: Path) -> None:
    ended = run("--store", f"sqlite:{tmp_path}")
    assert ended.returncode != 0
    assert str(tmp_path) in sentence(ended)
    assert list(tmp_path.iterdir()) == []


def test_a_path_in_a_missing_folder_is_no_store(tmp_path: Path) -> None:
    ended = run("--store", f"sqlite:{tmp_path / 'missing' / 'rooms.db'}")
    assert ended.returncode != 0
    assert "missing" in sentence(ended)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"Dear diary,\n" * 500, b"SQLite format 3\0" + b"\xff" * 8192])
def test_a_file_that_is_not_a_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "rooms.db"
    file.write_bytes(content)
    ended = run("--store", f"sqlite:{file}")
    assert ended.returncode != 0
    assert str(file) in sentence(ended)
    assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "diary.db"
    database = sqlite3.connect(file)
    database.executescript("CREATE TABLE events (day TEXT); PRAGMA user_version = 99")
    database.close()
    content = file.read_bytes()
    ended = run("--store", f"sqlite:{file}")
    assert ended.returncode != 0
    assert str(file) in sentence(ended)
    assert file.read_bytes() == content


def test_a_damaged_database_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "rooms.db"
    database = sqlite3.connect(file)
    database.executescript("CREATE TABLE one (a); CREATE TABLE two (b)")
    database.close()
    content = file.read_bytes()[:100] + b"\xa5" * 4000
    file.write_bytes(content)
    ended = run("--store", f"sqlite:{file}")
    assert ended.returncode != 0
    assert str(file) in sentence(ended)
    assert file.read_bytes() == content


async def test_every_option_is_also_an_environment_variable(tmp_path: Path) -> None:
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" > "$0.url"; mv "$0.url" {tmp_path / "opened"}\n')
    script.chmod(0o755)
    variables = {
        "NOUGHTS_HOST": "127.0.0.2",
        "NOUGHTS_PORT": "0",
        "NOUGHTS_STORE": f"sqlite:{tmp_path / 'here.db'}",
        "NOUGHTS_ORIGIN": "https://one.example https://two.example",
        "NOUGHTS_AI_PAUSE": "300",
        "NOUGHTS_NO_LIMITS": "1",
        "NOUGHTS_OPEN": "1",
        "BROWSER": str(script),
    }
    async with serving(tmp_path, store=None, port=None, ai_pause=None, variables=variables) as it:
        assert re.fullmatch(r"http://127\.0\.0\.2:\d+", it.url)
        assert (tmp_path / "here.db").exists()
        async with dialled(it.ws) as player:
            for _ in range(40):  # more than any limit allows
                await player.accept("unwatch", room=await player.create())
            room = await player.create(seats={"X": "me", "O": {"ai": "easy"}})
            begin = time.monotonic()
            await player.accept("play", room=room, cell=4, ply=0)
            await player.state(room, lambda state: len(state["moves"]) == 2)
            assert time.monotonic() - begin > 0.1  # the pause before its move
        while not (tmp_path / "opened").exists():
            await asyncio.sleep(0.01)
        assert (tmp_path / "opened").read_text() == it.url + "\n"
        assert await it.stop() == 0


async def test_the_command_line_wins_over_the_environment(tmp_path: Path) -> None:
    variables = {"NOUGHTS_PORT": "1", "NOUGHTS_STORE": "nonsense", "NOUGHTS_NO_LIMITS": "0"}
    async with serving(tmp_path, variables=variables) as served:
        assert served.port > 1
        assert fetch(served, "/readyz").status == 200
        async with dialled(served.ws) as player:
            for _ in range(60):
                await player.send("ping")
            answers = [await player.until(lambda frame: "re" in frame) for _ in range(60)]
        assert "too_fast" in [answer.get("reason") for answer in answers]
