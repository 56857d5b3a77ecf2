"""`python -m server.copy FROM TO`: copy all rooms from one store to another, whole and checked.

For moving house, and for a backup: what is there already is not copied again, so a copy that was
interrupted goes on where it was, and tomorrow's copy adds what is new. No server may use a store of
one process (`sqlite:`) meanwhile; a shared one (`nats://`) may be in use as the source.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from server.backend import open_backend
from server.command import Bar, answer, new_parser
from server.core.room import RoomId
from server.metrics import Times
from server.store import CannotOpen, Conflict, Entry, Store

AT_ONCE = 16  # rooms
EVENTS = 500  # in one append


@dataclass(slots=True)
class Copied:
    """How many rooms were copied, and which are different in the target."""

    copied: int = 0
    unchanged: int = 0
    different: list[RoomId] = field(default_factory=list)


async def copy(source: Store, target: Store, progress: Callable[[int, int], None]) -> Copied:
    """Copy all rooms. `progress` is called with the number of rooms done, and of all rooms.

    A room that has other events in the target is left alone. Raises `Unavailable`.
    """
    entries = await list_rooms(source)
    there = {entry.room: entry for entry in await list_rooms(target)}
    result = Copied()
    for begin in range(0, len(entries), AT_ONCE):
        progress(begin, len(entries))
        batch = entries[begin : begin + AT_ONCE]
        new = [entry.room for entry in batch if there.get(entry.room) != entry]
        result.unchanged += len(batch) - len(new)
        done = await asyncio.gather(*(_copy_room(source, target, room) for room in new))
        result.copied += sum(done)
        result.different += [room for room, is_done in zip(new, done, strict=True) if not is_done]
    progress(len(entries), len(entries))
    return result


async def list_rooms(store: Store) -> list[Entry]:
    entries: list[Entry] = []
    while page := await store.rooms(entries[-1].room if entries else ""):
        entries += page
    return entries


async def _copy_room(source: Store, target: Store, room: RoomId) -> bool:
    """Copy the events that are missing, and compare. Returns whether the logs agree."""
    log, there = await source.load(room), await target.load(room)
    if there != log[: len(there)]:
        return False
    try:
        for begin in range(len(there), len(log), EVENTS):
            await target.append_and_wait(room, begin, log[begin : begin + EVENTS])
    except Conflict:  # somebody else writes to the target
        return False
    return await target.load(room) == log


def _require_file(url: str) -> None:
    """Raise `CannotOpen` if a store in a file is not there: opening it would make an empty one."""
    scheme, _, path = url.partition(":")
    if scheme == "sqlite" and not Path(path).exists():
        raise CannotOpen(f"there is no file {path} to copy from")


async def run(source_url: str, target_url: str) -> int:
    """Copy, tell how it went, and return the exit code."""
    _require_file(source_url)
    source, _ = await open_backend(source_url, Times())
    try:
        target, _ = await open_backend(target_url, Times())
        try:
            result = await copy(source, target, Bar("rooms"))
        finally:
            await target.close()
    finally:
        await source.close()
    print(f"{result.copied} rooms copied, {result.unchanged} were there already")
    for room in result.different:
        print(f"room {room} has other events in {target_url}, and was left alone", file=sys.stderr)
    return 1 if result.different else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser(
        "copy",
        "Copy all rooms from one store to another, whole and checked. What is there already is not "
        "copied again.",
        "noughts copy sqlite:noughts.db nats://n1:4222,n2:4222,n3:4222",
        "1 if a room differs in the target, or a store cannot be used",
    )
    parser.add_argument("source", metavar="FROM", help="such as sqlite:noughts.db")
    parser.add_argument("target", metavar="TO", help="such as nats://n1:4222,n2:4222,n3:4222")
    given = parser.parse_args(arguments)
    return answer(lambda: asyncio.run(run(given.source, given.target)))


if __name__ == "__main__":
    sys.exit(main())
