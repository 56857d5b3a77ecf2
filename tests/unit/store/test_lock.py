"""One process at a time uses a file, and the lock names that process."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from server.metrics import Times
from server.store import CannotOpen, open_store
from server.store.lock import Lock
from tests.support.logs import OPENED, ROOM
from tests.support.serving import ROOT

HOLD = """
import sys
from pathlib import Path
from server.store.lock import Lock
lock = Lock(Path(sys.argv[1]))
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rooms.db"


def test_a_lock_is_held_by_one_until_it_is_closed(path: Path) -> None:
    lock = Lock(path)

    with pytest.raises(CannotOpen, match=rf"rooms\.db is in use by process {os.getpid()}:"):
        Lock(path)

    lock.close()
    Lock(path).close()


def test_the_same_file_by_another_name_has_the_same_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.touch()
    link = path.with_name("link.db")
    link.symlink_to(path.name)
    monkeypatch.chdir(path.parent)

    with closing(Lock(path)):
        for name in ("rooms.db", "./rooms.db", f"../{path.parent.name}/rooms.db", link):
            with pytest.raises(CannotOpen, match="in use"):
                Lock(Path(name))
        with closing(Lock(Path("another.db"))):
            pass


def test_the_lock_ends_with_its_process(path: Path) -> None:
    command = (sys.executable, "-c", HOLD, str(path))
    piped = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=piped, stdout=piped) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(CannotOpen, match=rf"in use by process {holder.pid}:"):
            Lock(path)
        holder.send_signal(signal.SIGKILL)

    with closing(Lock(path)):
        pass


def test_a_child_process_does_not_inherit_the_lock(path: Path) -> None:
    lock = Lock(path)
    command = (sys.executable, "-c", "import sys; print('here', flush=True); sys.stdin.read()")
    piped = subprocess.PIPE
    with subprocess.Popen(command, stdin=piped, stdout=piped, close_fds=False) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"here\n"
        lock.close()
        Lock(path).close()


def test_the_lock_file_is_private_and_its_old_content_is_ignored(path: Path) -> None:
    beside = path.with_name("rooms.db.lock")
    Lock(path).close()
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600

    for left in ("", "1\n", "4194305\n", "not a number, and longer than any number"):
        beside.write_text(left)
        with closing(Lock(path)):
            assert beside.read_text() == f"{os.getpid()}\n"


def test_a_holder_that_has_not_written_its_id_yet_is_called_another_process(path: Path) -> None:
    with closing(Lock(path)):
        path.with_name("rooms.db.lock").write_text("")

        with pytest.raises(CannotOpen, match="in use by another process:"):
            Lock(path)


def test_a_lock_that_cannot_be_made_is_explained(path: Path) -> None:
    path.with_name("rooms.db.lock").mkdir()

    with pytest.raises(CannotOpen, match=r"cannot use .*rooms\.db as a store: .*rooms\.db\.lock"):
        open_store(f"sqlite:{path}", Times())


async def test_a_store_is_locked_from_open_to_close(path: Path) -> None:
    store = open_store(f"sqlite:{path}", Times())
    await store.append_and_wait(ROOM, 0, [OPENED])

    with pytest.raises(CannotOpen, match="in use"):
        open_store(f"sqlite:{path}", Times())

    assert await store.load(ROOM) == [OPENED]
    await store.close()
    await open_store(f"sqlite:{path}", Times()).close()


def test_a_file_that_is_not_ours_gets_no_lock_beside_it(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ada, " * 1000)

    with pytest.raises(CannotOpen):
        open_store(f"sqlite:{letter}", Times())

    assert list(tmp_path.iterdir()) == [letter]
