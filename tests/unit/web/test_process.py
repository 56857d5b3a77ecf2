"""What the process uses; without /proc, less of it is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.web import process


def test_open_descriptors_are_counted(tmp_path: Path) -> None:
    before = process.usage()["process_open_fds"]
    with (tmp_path / "some").open("w"):
        assert process.usage()["process_open_fds"] == before + 1


def test_a_platform_without_proc_has_fewer_numbers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(process, "HERE", tmp_path)

    found = process.usage()

    assert found["process_cpu_seconds_total"] > 0
    assert "process_open_fds" not in found
