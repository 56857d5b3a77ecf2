"""Every address of a host is bound, on one port: seen by connecting to each."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from server.web.binding import bind

pytestmark = pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this computer has no IPv6")


@contextmanager
def listening(host: str, port: int = 0) -> Iterator[int]:
    """Listen, and give the port."""
    sockets = bind(host, port)
    try:
        for each in sockets:
            each.listen()
        [bound] = {each.getsockname()[1] for each in sockets}
        yield bound
    finally:
        for each in sockets:
            each.close()


def is_reached(address: str, port: int) -> bool:
    try:
        with closing(socket.create_connection((address, port), 5)):
            return True
    except OSError:
        return False


def test_all_interfaces_of_ipv6_are_those_of_ipv4_as_well() -> None:
    with listening("::") as port:
        assert is_reached("::1", port)
        assert is_reached("127.0.0.1", port)


def test_all_interfaces_of_ipv4_are_those_alone() -> None:
    with listening("0.0.0.0") as port:
        assert is_reached("127.0.0.1", port)
        assert not is_reached("::1", port)


def test_a_name_with_several_addresses_has_one_port(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        (socket.AF_INET6, 1, 6, "", ("::1", 0, 0, 0)),
        (socket.AF_INET, 1, 6, "", ("127.0.0.1", 0)),
        (socket.AF_INET, 1, 6, "", ("127.0.0.1", 0)),
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with listening("several") as port:
        monkeypatch.undo()
        assert is_reached("::1", port)
        assert is_reached("127.0.0.1", port)


def test_an_address_that_this_computer_does_not_have_is_left_out_if_there_is_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [
        (socket.AF_INET6, 1, 6, "", ("2001:db8::1", 0, 0, 0)),
        (socket.AF_INET, 1, 6, "", ("127.0.0.1", 0)),
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with listening("several") as port:
        monkeypatch.undo()
        assert is_reached("127.0.0.1", port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid"])
def test_a_host_that_cannot_be_bound_raises(host: str) -> None:
    with pytest.raises(OSError):  # its text is the system's
        bind(host, 0)


def test_a_port_that_is_taken_raises_and_leaves_nothing_open() -> None:
    with (
        socket.create_server(("::1", 0), family=socket.AF_INET6) as taken,
        pytest.raises(OSError, match="in use"),
    ):
        bind("::1", taken.getsockname()[1])
