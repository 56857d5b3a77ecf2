"""The commands of docs/hosting.md, "Back up and restore", on the file of a busy server."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from server.core.events import Event
from tests.docs.hosting.manual import changed, commands
from tests.support.dialling import HANG, Player, dialled, play_out, seated_pair
from tests.support.fetching import fetch
from tests.support.history import check_convergence, read_log
from tests.support.serving import ROOT, serving

TITLE = "Back up and restore"
X_WINS = [0, 3, 1, 4, 2]
PAIRS, BACKUPS = 4, 3


async def run(command: str, folder: Path) -> str:
    """Run a documented command with the paths of this test."""
    here = command.replace("/var/lib/noughts", str(folder)).replace("sudo -u noughts ", "")
    here = here.replace("-o noughts -g noughts ", "").replace("/opt/noughts", str(ROOT))
    here = here.replace(".venv/bin/python ", f"{sys.executable} ")
    ended = await asyncio.to_thread(
        subprocess.run, ["sh", "-c", here], cwd=folder, capture_output=True, text=True, timeout=HANG
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended
    return str(ended.stdout)


def documented(*words: str) -> str:
    """The one documented command that contains all these words."""
    [command] = [line for line in commands(TITLE) if all(word in line for word in words)]
    return command


class Pair:
    """Two players who play game after game, and record every accepted command."""

    def __init__(self, x: Player, o: Player) -> None:
        self._players = (x, o)
        self.room = ""
        self.accepted = 0

    async def play(self, over: asyncio.Event) -> None:
        x, o = self._players
        self.room = await seated_pair(x, o)
        while not over.is_set():
            state = await play_out(self.room, (x, o), X_WINS)
            self.accepted = state["seq"]
            for player in (x, o):
                self.accepted = (await player.accept("rematch", room=self.room))["seq"]
            for player in (x, o):
                await player.state(self.room, lambda state: bool(state["status"] == "playing"))
            x, o = o, x


async def test_a_backup_under_load_is_whole_and_has_all_that_was_accepted(tmp_path: Path) -> None:
    folders = [tmp_path / f"backup-{number}" for number in range(BACKUPS)]
    before: list[dict[str, int]] = []
    over = asyncio.Event()
    async with (
        serving(tmp_path, "--no-limits", store=f"sqlite:{tmp_path}/noughts.db") as server,
        AsyncExitStack() as stack,
    ):
        come = [await stack.enter_async_context(dialled(server.ws)) for _ in range(2 * PAIRS)]
        pairs = [Pair(x, o) for x, o in zip(come[::2], come[1::2], strict=True)]
        playing = [asyncio.create_task(pair.play(over)) for pair in pairs]
        for folder in folders:
            folder.mkdir()
            last = before[-1] if before else {}
            while any(pair.accepted <= last.get(pair.room, 0) for pair in pairs):
                await asyncio.sleep(0.01)
            before.append({pair.room: pair.accepted for pair in pairs})
            target = {"/var/lib/noughts/backup.db": f"{folder}/backup.db"}
            await run(changed(documented("noughts backup"), target), tmp_path)
        over.set()
        await asyncio.gather(*playing)

    whole = {pair.room: await read_log(tmp_path / "noughts.db", pair.room) for pair in pairs}
    for folder, accepted in zip(folders, before, strict=True):
        assert (await run(documented("noughts check"), folder)).endswith("sound\n")
        await is_a_past(folder, accepted, whole)


async def is_a_past(folder: Path, accepted: dict[str, int], whole: dict[str, list[Event]]) -> None:
    """Check each room of the copy: a legal log, a prefix of the later one, shown by a server."""
    async with serving(folder, store=f"sqlite:{folder}/backup.db") as server:
        shown = {room: fetch(server, f"/api/rooms/{room}").json for room in whole}
    for room, log in whole.items():
        copy = await read_log(folder / "backup.db", room)
        assert accepted[room] <= len(copy) <= len(log)
        assert copy == log[: len(copy)]
        check_convergence(room, copy, [shown[room]])


async def test_a_restored_backup_brings_rooms_and_seats_back(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path}/noughts.db"
    async with (
        serving(tmp_path, store=store) as server,
        dialled(server.ws) as ada,
        dialled(server.ws) as bob,
    ):
        room = await seated_pair(ada, bob)
        state = await play_out(room, (ada, bob), X_WINS[:2])
        await run(documented("noughts backup"), tmp_path)
        await ada.accept("play", room=room, cell=8, ply=2)
        await server.kill()  # leaves a write-ahead log, which must not be combined with the copy

    steps = commands(TITLE)
    stopped, started = steps.index("systemctl stop noughts"), steps.index("systemctl start noughts")
    for step in steps[stopped + 1 : started]:
        await run(step, tmp_path)
    assert (tmp_path / "old" / "noughts.db-wal").exists()

    async with serving(tmp_path, store=store) as server, dialled(server.ws, token=ada.token) as ada:
        assert await ada.watch(room) == state
        await ada.accept("play", room=room, cell=1, ply=2)
