"""The store fails in every way a disk can, while people play (promises P1 and P7).

During a fault commands are refused with `retry`, and no command is accepted that is not in the
file. After the fault everything goes on by itself. A damaged file, or a file of another program, is
left unchanged.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from server.core.events import Event, MovePlayed, RoomOpened
from server.core.room import RoomId
from server.core.rules import CLASSIC, Mark
from server.metrics import Times
from server.store.sqlite import SqliteStore
from tests.ordeals.torture import Figures
from tests.ordeals.torture.patience import Crowd, NotHere, crowd, run, until
from tests.support.dialling import dialled
from tests.support.fetching import fetch
from tests.support.history import Broken
from tests.support.serving import HANG, ROOT, Served, serving

ROOMS = 4
SMALL = "8m"  # a disk that is soon full; the write-ahead log alone takes 4 MB
NO_MORE = 4096  # the largest file in bytes: less than one page in the write-ahead log

Fault = Callable[[Served, Path], AbstractContextManager[None]]
Damage = Callable[[Path], None]


# ------------------------------------------------------------------------------------- the faults


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A small disk for the store."""
    disk = folder / "disk"
    disk.mkdir(exist_ok=True)
    run("mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(disk))
    try:
        yield disk
    finally:
        run("umount", "--lazy", str(disk))


@contextmanager
def full(_: Served, file: Path) -> Iterator[None]:
    """Another program has used up all the space."""
    filler = file.with_name("filler")
    try:
        with filler.open("wb", buffering=0) as writing, suppress(OSError):
            while writing.write(bytes(4096)):
                pass
        yield
    finally:
        filler.unlink()


@contextmanager
def capped(served: Served, _: Path) -> Iterator[None]:
    """The server's files may not grow any more. Needs Linux, but no privileges."""
    import resource

    before = resource.prlimit(served.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(served.pid, resource.RLIMIT_FSIZE, (NO_MORE, before[1]))
    try:
        yield
    finally:
        resource.prlimit(served.pid, resource.RLIMIT_FSIZE, before)


@contextmanager
def read_only(_: Served, file: Path) -> Iterator[None]:
    """The files are immutable, even for root and for processes that have them open.

    The index of the write-ahead log stays writable: it is shared memory, and the kernel kills a
    process that cannot write to it.
    """
    files = [str(file), f"{file}-wal"]
    try:
        run("chattr", "+i", *files)
        yield
    finally:
        run("chattr", "-i", *files)


@contextmanager
def locked(_: Served, file: Path) -> Iterator[None]:
    """Another program holds an exclusive lock on the file."""
    with closing(sqlite3.connect(file, isolation_level=None)) as somebody_else:
        somebody_else.execute("BEGIN EXCLUSIVE")
        yield
        somebody_else.execute("ROLLBACK")


FAULTS: dict[str, Fault] = {
    "full": full,
    "capped": capped,
    "read-only": read_only,
    "locked": locked,
}


async def endure(folder: Path, name: str) -> Figures:
    """Play, let the store fail, play on after the fault, and check the file."""
    if name == "full":
        with small_disk(folder) as disk:
            return await _endure(folder, disk / "rooms.db", full)
    return await _endure(folder, folder / f"{name}.db", FAULTS[name])


async def _endure(folder: Path, file: Path, fault: Fault) -> Figures:
    async with serving(folder, "--no-limits", store=f"sqlite:{file}") as served:
        async with crowd(served.ws, ROOMS) as people:
            await people.moves_on()
            with fault(served, file):
                await _suffer(served, people, is_total=fault is not full)
            back = await people.moves_on()
            await _until_readiness_is(served, 200)
        await people.look()
        await served.kill()  # only the file counts
        events = await people.judge(file)
        assert "Traceback" not in served.log, served.log
    retries = sum(len(client.told) for client in people.clients)
    return {"told to retry": retries, "events": events, "back after s": round(back, 2)}


async def _suffer(served: Served, people: Crowd, is_total: bool) -> None:
    """Check that during the fault everybody is refused with `retry` and nothing is accepted.

    On a full disk a few more events may fit into space that the store has already allocated.
    """
    since = time.monotonic()

    def all_know() -> bool:
        if is_total and (accepted := people.accepted_since(since)):
            raise Broken(f"accepted, but nothing can be written: {accepted[0]}")
        return people.told_to_retry(since) == people.rooms

    await until(all_know, "in every room somebody is told to retry")
    await _until_readiness_is(served, 503)
    async with dialled(served.ws) as newcomer:
        answer = await newcomer.ask("create")
        if answer.get("reason") != "retry":
            raise Broken(f"asked for a room that cannot be kept: {answer}")
        await newcomer.accept("watch", room=min(people.rooms))  # watching writes nothing
    assert all_know()


async def _until_readiness_is(served: Served, status: int) -> None:
    """The store is probed at most once a second, so the answer may be that old."""
    async with asyncio.timeout(HANG):
        while (await asyncio.to_thread(fetch, served, "/readyz")).status != status:
            await asyncio.sleep(0.1)


# ------------------------------------------------------------------------------------- the damage


def header(file: Path) -> None:
    """Overwrite the first bytes."""
    _overwrite(file, 0, 100)


def middle(file: Path) -> None:
    """Overwrite everything after the first page."""
    _overwrite(file, 4096, file.stat().st_size - 4096)


def cut_off(file: Path) -> None:
    """Cut off the second half."""
    os.truncate(file, file.stat().st_size // 8192 * 4096)


def not_ours(file: Path) -> None:
    """Replace the file by the database of another program."""
    file.unlink()
    with closing(sqlite3.connect(file)) as theirs:
        theirs.execute("CREATE TABLE events (day TEXT)")


DAMAGES: dict[str, Damage] = {
    "header": header,
    "middle": middle,
    "cut off": cut_off,
    "not ours": not_ours,
}


async def refuse(folder: Path, damage: Damage) -> str:
    """Start on a damaged file, and return the sentence that the server prints."""
    file = folder / f"{damage.__name__}.db"
    await _fill(file)
    damage(file)
    before, around = file.read_bytes(), sorted(folder.iterdir())
    ended = await asyncio.to_thread(_start, file)
    if file.read_bytes() != before or sorted(folder.iterdir()) != around:
        raise Broken(f"{damage.__name__}: the file was touched")
    if ended.returncode == 0 or ended.stdout or ended.stderr.count("\n") != 1:
        raise Broken(f"{damage.__name__}: {ended}")
    if str(file) not in ended.stderr:
        raise Broken(f"{damage.__name__}: which file? {ended.stderr}")
    return ended.stderr.strip()


async def _fill(file: Path) -> None:
    """Create a store with some hundred games, and close it properly."""
    game: list[Event] = [RoomOpened(0, CLASSIC, True)]
    game += [MovePlayed(ply, Mark(ply % 2), ply) for ply in range(7)]
    store = SqliteStore(file, Times())
    await asyncio.gather(*(store.append_and_wait(RoomId(f"r{n}"), 0, game) for n in range(200)))
    await store.close()


def _overwrite(file: Path, begin: int, length: int) -> None:
    with file.open("r+b") as writing:
        writing.seek(begin)
        writing.write(random.randbytes(length))


def _start(file: Path) -> subprocess.CompletedProcess[str]:
    """Start the server, and stop it if it starts normally."""
    command = (sys.executable, "-m", "server", "--port=0", f"--store=sqlite:{file}")
    piped = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=piped, stderr=piped, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()  # empty if it exited
        if line:
            server.terminate()
        output, errors = server.communicate(timeout=HANG)
    return subprocess.CompletedProcess(command, server.returncode, line + output, errors)


# ------------------------------------------------------------------------------------ the ordeal


async def ordeal(folder: Path, amount: int) -> Figures:
    """`amount` rounds of every fault and every kind of damage."""
    figures: Figures = {}
    refused, slowest = 0, 0.0
    for name in FAULTS:
        try:
            for number in range(amount):
                place = folder / f"{name}-{number}"
                place.mkdir()
                seen = await endure(place, name)
                refused += int(str(seen["told to retry"]))
                slowest = max(slowest, float(str(seen["back after s"])))
        except NotHere as problem:
            figures[f"{name}: skipped,"] = problem
    for number in range(amount):
        for damage in DAMAGES.values():
            place = folder / f"{damage.__name__}-{number}"
            place.mkdir()
            await refuse(place, damage)
    return {"told to retry": refused, "back after s, at most": slowest, **figures}
