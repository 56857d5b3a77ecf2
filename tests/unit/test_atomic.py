"""A file is replaced as a whole, or stays as it was."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from server import atomic


def test_a_new_file_is_only_its_owners(tmp_path: Path) -> None:
    atomic.write(tmp_path / "some", b"new")

    assert (tmp_path / "some").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "some").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["some"]


def test_what_was_there_stays_until_the_new_file_is_whole(tmp_path: Path) -> None:
    (tmp_path / "some").write_bytes(b"old")

    def fail() -> None:
        with atomic.replacing(tmp_path / "some") as part:
            part.write_bytes(b"half")
            assert (tmp_path / "some").read_bytes() == b"old"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert (tmp_path / "some").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["some"]
