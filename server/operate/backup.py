"""`noughts backup STORE TARGET`: one file with all rooms, whole and checked.

The server may go on meanwhile, and no move waits for it. The copy is written beside its target
under another name, and takes its place once it is durable. So an earlier backup is there until the
next one is.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from server import atomic
from server.backend import open_backend
from server.command import Bar, Failed, answer, counted, new_parser
from server.copy import copy
from server.metrics import Times
from server.operate.check import check
from server.operate.reading import open_logs, path_of
from server.store import BadAddress, open_store
from server.store.reading import is_store, reading

BESIDE = ("-wal", "-journal")  # what SQLite has beside a file that is in use


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser(
        "backup",
        "Copy all rooms into one SQLite file that only you can read, whole and checked. The server "
        "may run meanwhile.\nAn earlier backup of that name is replaced once the new one is whole; "
        "any other file is left alone.",
        "noughts backup sqlite:/var/lib/noughts/noughts.db /var/backups/noughts.db",
        "1 if there is no backup",
    )
    parser.add_argument("store", metavar="STORE", help="sqlite:PATH or nats://HOST:PORT")
    parser.add_argument("target", metavar="TARGET", help="the file to write, such as backup.db")
    given = parser.parse_args(arguments)
    return answer(lambda: run(given.store, given.target))


def run(store: str, target_name: str) -> int:
    if target_name.startswith(("memory:", "nats:")) or "://" in target_name:
        raise BadAddress(f"{target_name!r} is no file: `noughts copy` copies to another store")
    target = Path(target_name.removeprefix("sqlite:"))
    _check_target(store, target)
    try:
        with atomic.replacing(target) as part:
            if store.startswith("nats:"):
                asyncio.run(_copy_rooms(store, part))
                Path(f"{part}.lock").unlink(missing_ok=True)
            else:
                with reading(path_of(store)) as source:
                    source.copy_to(part, Bar("pages"))
            with open_logs(f"sqlite:{part}") as logs:
                rooms, _, broken = check(logs)
    except OSError as problem:
        raise Failed(f"cannot write {target}: {problem}") from problem
    are = "is" if rooms == 1 else "are"
    print(f"{counted(rooms, 'room')} {are} in {target} ({target.stat().st_size} bytes)")
    if broken:
        print(
            f"{len(broken)} of them cannot be replayed, and are copied as they are: "
            f"`noughts check sqlite:{target}` names them",
            file=sys.stderr,
        )
    return 0


def _check_target(store: str, target: Path) -> None:
    """Raise unless the target is free, or an earlier backup."""
    if not target.name:
        raise BadAddress("TARGET is empty: name a file, such as backup.db")
    if target.is_dir():
        raise Failed(f"{target} is a folder: name a file in it, such as {target / 'backup.db'}")
    if not target.exists():
        return
    if not store.startswith("nats:") and _is_same(path_of(store), target):
        raise Failed(f"{target} is the store itself: name another file")
    if any(Path(f"{target.resolve()}{end}").exists() for end in BESIDE):
        raise Failed(f"{target} is in use by a server: name another file")
    if not is_store(target):
        raise Failed(f"{target} is there, and is no earlier backup: name another file")


def _is_same(source: Path, target: Path) -> bool:
    return source.exists() and source.samefile(target)


async def _copy_rooms(url: str, part: Path) -> None:
    """Copy room by room, from a store that is no file."""
    source, _ = await open_backend(url, Times())
    try:
        target = open_store(f"sqlite:{part}", Times())
        try:
            await copy(source, target, Bar("rooms"))
        finally:
            await target.close()
    finally:
        await source.close()


if __name__ == "__main__":
    sys.exit(main())
