"""The client is typed for programs outside: mypy --strict on one that uses it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.serving import ROOT

PROGRAM = """
import asyncio
import noughts

async def main() -> None:
    async with noughts.connect("http://127.0.0.1:8080", name="Ada") as me:
        room: noughts.Room = await me.create("drop", seats={"X": "me", "O": {"ai": "easy"}})
        async for state in room.states():
            if room.my_turn:
                await room.play(state.choices[0])
            elif state.outcome is not None:
                reveal_type(state.outcome.winner)
        async for rooms in me.lobby():
            reveal_type(rooms[0].seats.open)

def without_async() -> None:
    with noughts.connect_sync("http://127.0.0.1:8080") as me:
        for state in me.watch("r").states():
            reveal_type(state.turn)

asyncio.run(main())
"""
WRONG = """
import noughts

def wrong(room: noughts.Room) -> None:
    room.play("4")
    noughts.conect("http://127.0.0.1:8080")
"""


def check(folder: Path, program: str) -> tuple[int, str]:
    (folder / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "program.py"],
        cwd=folder, env={**os.environ, "MYPYPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_a_program_is_checked_strictly(tmp_path: Path) -> None:
    mark = "Literal['X'] | Literal['O']"

    code, told = check(tmp_path, PROGRAM)

    assert code == 0, told
    assert told.count(f'"{mark} | None"') == 2, told
    assert f'"list[{mark}]"' in told
    code, told = check(tmp_path, WRONG)
    assert code == 1
    assert 'incompatible type "str"; expected "int"' in told
    assert 'Module has no attribute "conect"' in told


def test_an_installed_package_says_that_it_is_typed() -> None:
    assert (ROOT / "noughts" / "py.typed").exists()
