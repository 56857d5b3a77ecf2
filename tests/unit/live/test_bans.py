"""Bans: which addresses they cover, how long they hold, and the file that keeps them."""

from __future__ import annotations

import stat
from ipaddress import ip_network
from pathlib import Path

import pytest

from server.live import bans as module
from server.live.bans import Bans, TooMany, check_folder
from server.store import CannotOpen
from tests.support.houses import HandClock


def banned(*networks: str) -> Bans:
    bans = Bans(None, now=HandClock())
    for network in networks:
        bans.add(ip_network(network))
    return bans


@pytest.mark.parametrize(
    ("network", "address", "is_refused"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.0/24", "192.0.2.8", True),
        ("2001:db8::7", "2001:db8::/64", True),
        ("2001:db8::7", "2001:db8:0:1::/64", False),
        ("2001:db8::/32", "2001:db8:0:1::/64", True),
        ("::ffff:192.0.2.7", "192.0.2.7", True),
        ("0.0.0.0/0", "2001:db8::/64", False),
        ("::/0", "192.0.2.7", False),
        ("192.0.2.7", "", False),
        ("192.0.2.7", "nonsense", False),
    ],
)
def test_a_ban_covers_its_network(network: str, address: str, is_refused: bool) -> None:
    assert banned(network).refuses(address) is is_refused


def test_a_ban_ends_when_its_time_is_over(tmp_path: Path) -> None:
    clock = HandClock()
    bans = Bans(tmp_path / "bans", now=clock)
    bans.add(ip_network("192.0.2.7"), span=10)
    assert bans.refuses("192.0.2.7")

    clock.now += 10

    assert not bans.refuses("192.0.2.7")
    assert list(bans) == []
    bans.add(ip_network("192.0.2.8"))
    assert "192.0.2.7" not in (tmp_path / "bans").read_text()


def test_bans_are_kept_in_a_file_that_others_cannot_read(tmp_path: Path) -> None:
    file = tmp_path / "bans"
    bans = Bans(file, now=HandClock())
    assert not file.exists()
    bans.add(ip_network("192.0.2.7"))
    bans.add(ip_network("192.0.2.8"), span=9_999)

    again = Bans(file, now=HandClock())

    assert list(again) == list(bans)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert again.remove(ip_network("192.0.2.7"))
    assert not again.remove(ip_network("192.0.2.7"))
    assert [ban.network for ban in Bans(file, now=HandClock())] == ["192.0.2.8/32"]


def test_a_ban_that_cannot_be_kept_holds_all_the_same(tmp_path: Path) -> None:
    bans = Bans(tmp_path / "missing" / "bans", now=HandClock())

    with pytest.raises(OSError, match="missing"):
        bans.add(ip_network("192.0.2.7"))

    assert bans.refuses("192.0.2.7")


@pytest.mark.parametrize("content", ["{", "[]", '{"bans":[{"network":"x","since":1}]}'])
def test_a_file_that_cannot_be_read_is_explained(content: str, tmp_path: Path) -> None:
    (tmp_path / "bans").write_text(content)

    with pytest.raises(CannotOpen, match="cannot read the bans in"):
        Bans(tmp_path / "bans", now=HandClock())


def test_there_are_only_so_many_bans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    bans = banned("192.0.2.1", "192.0.2.2")

    with pytest.raises(TooMany):
        bans.add(ip_network("192.0.2.3"))
    bans.add(ip_network("192.0.2.1"), span=1_000)  # a change is not one more

    assert len(bans) == 2


def test_a_folder_that_cannot_keep_bans_is_said_at_the_start(tmp_path: Path) -> None:
    check_folder(tmp_path / "bans")
    with pytest.raises(CannotOpen, match="none is not there"):
        check_folder(tmp_path / "none" / "bans")
