"""Addresses of NATS servers, and what is wrong with some."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.fleet.address import read_address
from server.store import CannotOpen


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("nats:", "names no server"),
        ("nats:///path", "names no server"),
        ("nats://secret@host", "no secrets"),
        ("nats://host?replicas=2", "1, 3 or 5"),
        ("nats://host?prefix=a.b", "letters and digits"),
        ("nats://host?colour=red", "'colour' is no option"),
        ("nats://host?token_file=/no/such/file", "No such file"),
        ("nats://host?ca=/no/such/file", "No such file"),
        ("nats://host?creds=/no/such/file", "No such file"),
        ("nats://host?prefix=", "letters and digits"),
        ("nats://host?replicas=", "1, 3 or 5"),
        ("nats://[::1", "no address"),
    ],
)
def test_an_address_that_makes_no_sense_is_explained(url: str, why: str) -> None:
    with pytest.raises(CannotOpen, match=why):
        read_address(url)


def test_an_address_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NATS_TOKEN", "from the environment")
    found = read_address("nats://a:4222,b:4222")
    assert found.servers == ["nats://a:4222", "nats://b:4222"]
    assert (found.replicas, found.prefix, found.tls) == (0, "noughts", None)
    assert found.token == "from the environment"

    (tmp_path / "token").write_text("from a file\n")
    found = read_address(f"nats://a?token_file={tmp_path}/token&replicas=3&tls=1")
    assert (found.token, found.replicas, found.servers) == ("from a file", 3, ["tls://a"])
    assert found.tls is not None
