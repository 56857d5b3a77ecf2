"""The token file: made when it is missing, kept when it is there, explained when it is bad."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from noughts import tokens
from noughts.errors import Error


def test_the_first_start_writes_a_token_that_later_ones_read(tmp_path: Path) -> None:
    file = tmp_path / "some" / "folder" / "ada.token"

    first = tokens.keep(file)

    assert tokens.keep(file) == first
    assert len(first) == 43
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(file.parent) == ["ada.token"]


@pytest.mark.parametrize("text", [b"", b"half", b"x" * 44, b"\xff" * 43, b"x y" * 14 + b"z"])
def test_a_damaged_file_is_explained_and_left_alone(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(text)

    with pytest.raises(Error, match=r"is damaged: .* Delete the file"):
        tokens.keep(file)
    assert file.read_bytes() == text


def test_a_file_that_cannot_be_read_is_explained(tmp_path: Path) -> None:
    with pytest.raises(Error, match="cannot be read: Is a directory"):
        tokens.keep(tmp_path)


def test_a_file_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(Error, match=r"cannot be (read|written): Not a directory"):
        tokens.keep(tmp_path / "file" / "token")


def test_a_crash_while_writing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        tokens.keep(tmp_path / "token")
    assert os.listdir(tmp_path) == []
