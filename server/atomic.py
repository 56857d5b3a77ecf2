"""Files that are either as they were or whole and new, also after a crash or a power cut."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new empty file beside `path`, which takes its place at the end of the block.

    Only its owner can read it. If the block raises, `path` stays as it is and the new file is
    removed. Raises `OSError`.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
        _flush(part)
        part.replace(path)
        _flush(path.parent)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def write(path: Path, data: bytes) -> None:
    """Write a whole file. Raises `OSError`."""
    with replacing(path) as part:
        part.write_bytes(data)


def _flush(path: Path) -> None:
    """Make a file, or the names in a folder, survive a power cut."""
    if os.name != "posix" and path.is_dir():  # Windows cannot, and need not
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
