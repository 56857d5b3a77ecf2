"""The address before every link that leaves the page."""

from __future__ import annotations

from ipaddress import ip_network
from socket import AF_INET6

import pytest
from aiohttp.test_utils import make_mocked_request

from server.web import reach
from server.web.proxies import Proxies
from server.web.reach import Reach, Reached

PROXY = ip_network("127.0.0.1/32")
LOCAL = "http://localhost:8080"


class Wire:
    """The connection of a request, from this peer to port 8123."""

    def __init__(self, peer: str) -> None:
        self.peer = peer

    def get_extra_info(self, name: str) -> object:
        return {"peername": (self.peer, 50_000), "sockname": ("127.0.0.1", 8123)}.get(name)


def reached(
    headers: dict[str, str], host: str, *, public: str | None = None, peer: str = "127.0.0.1"
) -> Reached:
    """Where a server that listens on `host` says that others reach it."""
    request = make_mocked_request("GET", "/", headers, transport=Wire(peer))
    return Reach(public, host, Proxies([PROXY])).of(request)


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> None:
    """This computer has these addresses in its network."""
    addresses = {True: "2001:db8::7", False: "192.168.1.7"}
    monkeypatch.setattr(reach, "own_address", lambda family, _: addresses[family == AF_INET6])


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::"])
def test_a_link_begins_like_the_request(host: str) -> None:
    assert reached({"Host": "play.example:8080"}, host) == Reached("http://play.example:8080")


def test_a_trusted_proxy_names_the_scheme_and_nobody_else_does() -> None:
    headers = {"Host": "play.example", "X-Forwarded-Proto": "https"}

    assert reached(headers, "127.0.0.1") == Reached("https://play.example")
    assert reached(headers, "0.0.0.0", peer="192.0.2.1") == Reached("http://play.example")


def test_with_a_public_address_no_header_is_read() -> None:
    headers = {"Host": "evil.example", "X-Forwarded-Proto": "http"}

    found = reached(headers, "127.0.0.1", public="https://play.example")

    assert found == Reached("https://play.example")


@pytest.mark.parametrize(
    "name", ["localhost:8080", "127.0.0.1:8080", "127.1.2.3", "[::1]:8080", "a.localhost"]
)
def test_who_opens_the_page_as_localhost_gives_away_the_address_in_the_network(name: str) -> None:
    assert reached({"Host": name}, "0.0.0.0") == Reached("http://192.168.1.7:8123")
    assert reached({"Host": name}, "::") == Reached("http://192.168.1.7:8123")
    assert reached({"Host": name}, "127.0.0.1") == Reached(f"http://{name}", is_local=True)


def test_a_computer_without_ipv4_gives_away_its_ipv6_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        reach, "own_address", lambda family, _: "2001:db8::7" if family == AF_INET6 else None
    )

    assert reached({"Host": "localhost"}, "::") == Reached("http://[2001:db8::7]:8123")


def test_a_computer_without_a_network_can_be_reached_by_nobody_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reach, "own_address", lambda *_: None)

    assert reached({"Host": "localhost"}, "0.0.0.0").is_local


def test_behind_a_proxy_or_a_mapped_port_there_may_be_another_way_in() -> None:
    proxied = reached({"Host": "localhost:8080", "X-Forwarded-For": "127.0.0.1"}, "127.0.0.1")
    mapped = reached({"Host": "localhost:8080"}, "0.0.0.0", peer="172.17.0.1")

    assert proxied == mapped == Reached(LOCAL)


@pytest.mark.parametrize("host", ["", "[", "[::1", "a:b:c", "localhost.evil.example"])
def test_an_odd_host_is_no_reason_to_fail(host: str) -> None:
    assert reached({"Host": host}, "0.0.0.0").origin.startswith("http://")
