"""The address that limits apply to behind proxies. A forged header changes nothing."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from server.web.proxies import Proxies

PROXIES = Proxies([ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("fd00::/8")])


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("198.51.100.1", [], "198.51.100.1"),
        ("198.51.100.1", ["192.0.2.1"], "198.51.100.1"),  # not from a trusted proxy
        ("127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
        ("::ffff:127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
        ("127.0.0.1", ["203.0.113.9, 192.0.2.1"], "192.0.2.1"),  # the left one may be forged
        ("127.0.0.1", ["192.0.2.1, 10.1.2.3"], "192.0.2.1"),  # through two proxies
        ("127.0.0.1", ["192.0.2.1", "10.1.2.3"], "192.0.2.1"),  # the same in two lines
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["10.1.2.3"], "10.1.2.3"),  # proxies only
        ("127.0.0.1", ["nonsense"], "127.0.0.1"),
        ("127.0.0.1", ["192.0.2.1, nonsense, 10.1.2.3"], "10.1.2.3"),
        ("127.0.0.1", [""], "127.0.0.1"),
        ("127.0.0.1", ["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::/64"),
        ("fd00::1", ["2001:db8:1:2::9"], "2001:db8:1:2::/64"),  # the same household
        ("", ["192.0.2.1"], ""),
    ],
)
def test_the_client_is_the_last_address_that_is_no_trusted_proxy(
    peer: str, forwarded: list[str], client: str
) -> None:
    assert PROXIES.client(peer, forwarded) == client


def test_only_the_peer_counts_without_trusted_proxies() -> None:
    assert Proxies(()).client("127.0.0.1", ["192.0.2.1"]) == "127.0.0.1"
    assert not Proxies(()).is_trusted("127.0.0.1")
    assert PROXIES.is_trusted("10.9.9.9")
