"""Two servers and one file: the second says that the file is in use, and by which process."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.dialling import HANG, dialled
from tests.support.serving import ROOT, serving


async def start(store: str) -> subprocess.CompletedProcess[str]:
    """Start a server that is expected to exit by itself."""
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "server", "--port=0", f"--store={store}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANG,
    )


@pytest.mark.parametrize("name", ["rooms.db", "link.db", "sub/../rooms.db"])
async def test_the_second_server_says_that_the_file_is_in_use_and_by_which_process(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "sub").mkdir()
    async with serving(tmp_path, store=f"sqlite:{tmp_path}/rooms.db") as first:
        (tmp_path / "link.db").symlink_to("rooms.db")
        path = os.path.join(os.path.relpath(tmp_path, ROOT), name)

        second = await start(f"sqlite:{path}")

        assert (second.returncode, second.stdout) == (1, "")
        assert second.stderr.startswith(f"{Path(path)} is in use by process {first.pid}: ")
        assert second.stderr.count("\n") == 1
        async with dialled(first.ws) as player:  # the first one is not affected
            await player.create()


async def test_the_file_is_free_again_as_soon_as_its_server_is_killed(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path}/rooms.db"
    async with serving(tmp_path, store=store) as first, dialled(first.ws) as player:
        room = await player.create(seats={"X": "me", "O": "me"})
        assert (await player.ask("analyse", room=room))["type"] == "analysis"
        assert len(first.family) > 1  # the AI's workers, which may outlive it for a moment
        await first.kill()
        async with serving(tmp_path, store=store) as second, dialled(second.ws) as again:
            assert (await again.watch(room))["room"] == room


async def test_the_workers_of_the_ai_do_not_hold_the_file(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, store=f"sqlite:{tmp_path}/rooms.db") as server,
        dialled(server.ws) as player,
    ):
        room = await player.create(seats={"X": "me", "O": "me"})
        assert (await player.ask("analyse", room=room))["type"] == "analysis"
        holders = {pid for pid in server.family if holds(pid, tmp_path / "rooms.db.lock")}
        assert len(server.family) > 1
        assert holders == {server.pid}


def holds(pid: int, file: Path) -> bool:
    """Whether this process has the file open (Linux only)."""
    open_files = [link.resolve() for link in Path(f"/proc/{pid}/fd").iterdir()]
    return file.resolve() in open_files
