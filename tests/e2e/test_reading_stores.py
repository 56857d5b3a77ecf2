"""`noughts backup`, `check`, `rooms` and `log`, on files of real servers."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.core.rules import VARIANTS
from tests.support.commands import noughts, said
from tests.support.dialling import Player, dialled, play_out, seated_pair
from tests.support.engines import address, nats_server
from tests.support.history import read_log
from tests.support.serving import ROOT, serving

X_WINS = [0, 3, 1, 4, 2]
RECORDED = ROOT / "tests/unit/store/recorded/schema-4.sqlite"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A store that a server has left, with fourteen rooms."""
    return Path(shutil.copy(RECORDED, tmp_path / "noughts.db"))


def look(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}


async def play(pair: tuple[Player, Player], rooms: list[str], over: asyncio.Event) -> None:
    """Play game after game until it is over."""
    x, o = pair
    rooms.append(room := await seated_pair(x, o))
    while not over.is_set():
        await play_out(room, (x, o), X_WINS)
        for player in (x, o):
            await player.accept("rematch", room=room)
        for player in (x, o):
            await player.state(room, lambda state: bool(state["status"] == "playing"))
        x, o = o, x


async def test_a_busy_server_is_backed_up_checked_and_listed(tmp_path: Path) -> None:
    store, over, rooms = f"sqlite:{tmp_path}/noughts.db", asyncio.Event(), list[str]()
    (copies := tmp_path / "copies").mkdir()
    target = copies / "backup.db"
    async with (
        serving(tmp_path, "--no-limits", store=store) as server,
        dialled(server.ws, name="Ada") as ada,
        dialled(server.ws, name="Bo") as bob,
    ):
        playing = asyncio.create_task(play((ada, bob), rooms, over))
        while not rooms:
            await asyncio.sleep(0.01)
        before = await read_log(tmp_path / "noughts.db", rooms[0])
        told = [said(await asyncio.to_thread(noughts, "backup", store, target)) for _ in "ab"]
        beside = said(await asyncio.to_thread(noughts, "check", store))
        listed = said(await asyncio.to_thread(noughts, "rooms", store, "--name", "ada"))
        shown = said(await asyncio.to_thread(noughts, "log", store, "--json", "--", rooms[0]))
        over.set()
        await playing
        assert await server.stop() == 0
    whole = await read_log(tmp_path / "noughts.db", rooms[0])

    assert told[0].startswith(f"1 room is in {target} (")
    assert [path.name for path in copies.iterdir()] == ["backup.db"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    copied = await read_log(target, rooms[0])
    assert len(before) <= len(copied) <= len(whole)
    assert copied == whole[: len(copied)]
    assert beside.endswith("events: sound\n")
    assert said(noughts("check", f"sqlite:{target}")).startswith("1 room, ")
    assert listed.splitlines()[-1].startswith("1 room; 1 ")
    assert len(before) <= len(shown.splitlines()) <= len(whole)


async def test_reading_the_file_of_a_server_that_was_killed_leaves_it_as_it_is(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path}/noughts.db"
    async with serving(tmp_path, store=store) as server, dialled(server.ws) as ada:
        room = await ada.create()
        await server.kill()
    before = look(tmp_path)

    assert said(noughts("check", store)) == "1 room, 2 events: sound\n"
    assert room in said(noughts("rooms", store))

    after = look(tmp_path)
    for name in ("noughts.db", "noughts.db-wal"):
        assert after[name] == before[name]
    assert after.keys() == before.keys()


@pytest.mark.parametrize("command", [["check"], ["rooms"], ["log", "time"], ["backup"]])
def test_reading_a_file_that_no_server_uses_leaves_nothing_behind(
    command: list[str], file: Path, tmp_path: Path
) -> None:
    before = look(tmp_path)
    name, *rest = command
    target = [tmp_path / "out" / "b.db"] if name == "backup" else []
    (tmp_path / "out").mkdir()

    said(noughts(name, f"sqlite:{file}", *rest, *target))

    shutil.rmtree(tmp_path / "out")
    assert look(tmp_path) == before


def test_only_an_earlier_backup_is_replaced(file: Path, tmp_path: Path) -> None:
    store = f"sqlite:{file}"
    (diary := tmp_path / "diary.txt").write_text("Dear diary")
    (linked := tmp_path / "link.db").symlink_to(file)
    for target, sentence in (
        (file, "is the store itself"),
        (linked, "is the store itself"),
        (diary, "is no earlier backup"),
        (tmp_path, "is a folder"),
        (tmp_path / "none" / "b.db", "cannot write"),
    ):
        told = said(noughts("backup", store, target), 1)
        assert sentence in told
        assert told.count("\n") == 1
    assert diary.read_text() == "Dear diary"

    backup = tmp_path / "backup.db"
    said(noughts("backup", store, f"sqlite:{backup}"))
    first = backup.stat().st_ino
    said(noughts("backup", store, backup))
    assert backup.stat().st_ino != first
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "backup.db", "diary.txt", "link.db", "noughts.db",
    ]  # fmt: skip


async def test_a_backup_that_a_server_uses_is_not_replaced(file: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    said(noughts("backup", f"sqlite:{file}", backup))
    async with serving(tmp_path, store=f"sqlite:{backup}"):
        told = said(noughts("backup", f"sqlite:{file}", backup), 1)
    assert "is in use by a server" in told


def test_a_backup_that_does_not_fit_leaves_the_earlier_one(file: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    said(noughts("backup", f"sqlite:{file}", backup))
    before = backup.read_bytes()
    limited = 'ulimit -f 8; exec "$@"'  # of 40 KiB, so much can be written
    ended = subprocess.run(
        ["sh", "-c", limited, "", sys.executable, "-m", "noughts", "backup", f"sqlite:{file}",
         backup],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode != 0
    assert "Traceback" not in ended.stderr
    assert backup.read_bytes() == before


def test_what_is_wrong_with_a_store_is_said(file: Path, tmp_path: Path) -> None:
    with sqlite3.connect(file) as database:
        text = '{"v":1,"type":"move_played","at":5,"mark":"X","cell":99}'
        database.execute("UPDATE events SET event = ? WHERE room = 'time' AND seq = 4", (text,))
        database.execute("UPDATE events SET event = 'x' WHERE room = 'cover' AND seq = 2")
    database.close()

    checked = noughts("check", f"sqlite:{file}")
    listed = noughts("rooms", f"sqlite:{file}")
    shown = noughts("log", f"sqlite:{file}", "time")
    copied = noughts("backup", f"sqlite:{file}", tmp_path / "b.db")

    assert copied.returncode == 0
    assert "2 of them cannot be replayed" in copied.stderr
    assert f"`noughts check sqlite:{tmp_path}/b.db`" in copied.stderr
    assert checked.returncode == 1
    assert "room time: event 4 is no legal move" in checked.stdout
    assert "room cover: this is not a JSON object: 'x'" in checked.stdout
    assert checked.stdout.endswith("2 problems\n")
    assert listed.returncode == 1
    assert listed.stderr.count("does not replay") == 2
    assert "12 rooms" in listed.stdout
    assert shown.returncode == 1
    assert "event 4 is no legal move" in shown.stderr
    assert len(shown.stdout.split("\n\n")) == 4  # the events before it are shown


def test_a_damaged_file_is_said_to_be_damaged(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[8192:12288] = b"\xa5" * 4096
    file.write_bytes(content)

    ended = noughts("check", f"sqlite:{file}")

    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert "malformed" in ended.stderr or "damaged" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["check", "memory:"], 2, "cannot be read"),
        (["check", "noughts.db"], 2, "cannot be read"),
        (["rooms", "sqlite:"], 2, "cannot be read"),
        (["rooms", "nats://x/y"], 2, "names no server"),
        (["check", "sqlite:/nowhere/at.all"], 1, "there is no file"),
        (["log", "sqlite:README.md", "x"], 1, "cannot read README.md"),
        (["backup", "sqlite:x.db", "memory:"], 2, "`noughts copy`"),
        (["backup", "sqlite:x.db", "nats://n1:4222"], 2, "`noughts copy`"),
        (["close", "http://localhost", "x"], 2, "is no admin door"),
        (["serve", "--store=memory:", "--bans=/nowhere/b"], 1, "the folder /nowhere is not there"),
        (["announce", "unix:/nowhere/door", "hi"], 1, "no server has a door"),
    ],
)
def test_a_mistake_is_answered_with_a_sentence(
    arguments: list[str], code: int, sentence: str
) -> None:
    ended = noughts(*arguments)
    assert ended.stdout == ""
    told = said(ended, code)
    assert sentence in told
    assert told.count("\n") == 1


def test_a_room_that_does_not_exist_has_no_log(file: Path) -> None:
    assert said(noughts("log", f"sqlite:{file}", "nobody"), 1) == (
        f"there is no room nobody in sqlite:{file}\n"
    )


async def test_rooms_are_filtered_and_counted(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path}/noughts.db"
    async with (
        serving(tmp_path, store=store) as server,
        dialled(server.ws, name="Ada") as ada,
        dialled(server.ws, name="Bo") as bob,
    ):
        over = await seated_pair(ada, bob)
        await play_out(over, (ada, bob), X_WINS)
        playing = await ada.create(seats={"X": "me", "O": {"ai": "easy"}}, variant="drop")
        waiting = await bob.create(public=False)

    def found(*filters: str) -> set[str]:
        listed = json.loads(said(noughts("rooms", store, "--json", *filters)))["rooms"]
        return {each["room"] for each in listed}

    assert found() == {over, playing, waiting}
    assert found("--status=over") == {over}
    assert found("--variant=drop") == {playing}
    assert found("--name=ADA") == {over, playing}
    assert found("--name=ai easy") == {playing}
    assert found("--since=1h", "--status=waiting") == {waiting}
    assert found("--since=2999-01-01") == set()
    text = said(noughts("rooms", store))
    assert "3 rooms; " in text
    assert {"1 waiting", "1 playing", "1 over"} <= set(
        text.splitlines()[-1].split("; ")[1].split(", ")
    )


async def test_the_log_of_every_game_is_drawn(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path}/noughts.db"
    rooms = {}
    async with (
        serving(tmp_path, store=store) as server,
        dialled(server.ws, name="Ada") as ada,
        dialled(server.ws, name="Bo") as bob,
    ):
        for name in VARIANTS:
            rooms[name] = await seated_pair(ada, bob, variant=name)
            await ada.accept("play", room=rooms[name], cell=VARIANTS[name].size - 3, ply=0)
    for name, variant in VARIANTS.items():
        text = said(noughts("log", store, "--", rooms[name]))
        last = [line for line in text.rstrip().split("\n\n")[-1].splitlines() if "cell" not in line]
        assert len(last) == variant.rows + 3 * variant.nested
        assert "".join(last).count("[X]") == 1
        assert f"a public room for {name} was opened" in text
        assert "Ada (" in text
        [*_, event] = map(
            json.loads, said(noughts("log", store, "--json", "--", rooms[name])).splitlines()
        )
        assert event["board"].count("X") == 1
        assert event["event"]["type"] == "move_played"


async def test_the_rooms_of_nats_are_backed_up_and_read(tmp_path: Path) -> None:
    async with nats_server(tmp_path) as engine:
        store = address(engine)
        async with serving(tmp_path, store=store) as server, dialled(server.ws) as ada:
            room = await ada.create()
            backup = tmp_path / "backup.db"
            told = said(await asyncio.to_thread(noughts, "backup", store, backup))
            assert f"1 room is in {backup}" in told
            assert room in (await asyncio.to_thread(noughts, "rooms", store)).stdout
            assert (await asyncio.to_thread(noughts, "check", store)).returncode == 0
    assert room in said(noughts("rooms", f"sqlite:{backup}"))
    assert {path.name for path in tmp_path.glob("*backup*")} == {"backup.db"}


def in_terminal(*arguments: object) -> str:
    """What a command shows in a terminal."""
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "noughts", *map(str, arguments)], cwd=ROOT, stderr=its, stdout=its
    )
    os.close(its)
    shown = b"".join(_read_all(ours))
    os.close(ours)
    assert process.wait() == 0
    return shown.decode()


def _read_all(terminal: int) -> Iterator[bytes]:
    try:
        while data := os.read(terminal, 4096):
            yield data
    except OSError:  # how Linux says that nobody writes any more
        return


@pytest.mark.parametrize(
    ("command", "unit"), [("check", "rooms"), ("rooms", "rooms"), ("backup", "pages")]
)
def test_long_work_has_a_progress_bar_in_a_terminal(
    command: str, unit: str, file: Path, tmp_path: Path
) -> None:
    target = [tmp_path / "b.db"] if command == "backup" else []

    shown = in_terminal(command, f"sqlite:{file}", *target)

    assert f"[{'#' * 40}] " in shown
    assert f"{unit}\r\n" in shown


@pytest.mark.parametrize(
    "command",
    ["serve", "backup", "check", "rooms", "log", "copy", "connections", "announce", "close", "ban",
     "unban", "bans"],
)  # fmt: skip
def test_every_command_has_help_with_an_example_and_exit_codes(command: str) -> None:
    text = said(noughts(command, "--help"))
    assert f"Example: noughts {command} " in text
    assert "Exit codes: 0 " in text
    assert max(map(len, text.splitlines())) <= 100
