"""At which address others reach this server: it begins every link that leaves the page.

With a public address (`--public-url`), no header of a request is read. Without one, a link begins
like the request: with its host, and with the scheme that a trusted proxy names. But a request to
`localhost` comes from this computer, and no other could open that address. Its links begin with the
address of this computer in its network, if the server listens there.
"""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address
from socket import AF_INET, AF_INET6, SOCK_DGRAM, socket
from typing import NamedTuple
from urllib.parse import urlsplit

from aiohttp import web

from server.web.proxies import Proxies

# For a host that stands for every address: the families, with an address of this computer and one
# of another network (they are set aside for documentation).
EVERYWHERE = {
    "0.0.0.0": [(AF_INET, "127.0.0.1", "192.0.2.1")],
    "::": [(AF_INET, "127.0.0.1", "192.0.2.1"), (AF_INET6, "::1", "2001:db8::1")],
    "": [(AF_INET, "127.0.0.1", "192.0.2.1"), (AF_INET6, "::1", "2001:db8::1")],
}


class Reached(NamedTuple):
    """`origin`: scheme, host and port. `is_local`: only this computer can open it."""

    origin: str
    is_local: bool = False


class Reach:
    """`public`: the public address, if one is set. `host`: where the server listens."""

    def __init__(self, public: str | None, host: str, proxies: Proxies) -> None:
        self._public = public
        self._families = EVERYWHERE.get(host, [])
        self._proxies = proxies

    def of(self, request: web.Request) -> Reached:
        """Where others reach what this request was sent to."""
        if self._public is not None:
            return Reached(self._public)
        peer, headers = request.remote or "", request.headers
        scheme = self._proxies.scheme(peer, request.scheme, headers.get("X-Forwarded-Proto"))
        asked = Reached(f"{scheme}://{request.host}")
        # Only a direct request tells that the server can be reached without anything in between.
        if "X-Forwarded-For" in headers or not (is_loopback(peer) and _is_here(request.host)):
            return asked
        for family, _, far in self._families:
            if found := own_address(family, far):
                return Reached(address(found, _port(request)))
        return asked._replace(is_local=True)


def own_address(family: int, far: str) -> str | None:
    """This computer's address for others on its network, if it has one."""
    with suppress(OSError), socket(family, SOCK_DGRAM) as probe:
        probe.connect((far, 9))  # only looks up the route; nothing is sent
        return str(probe.getsockname()[0])
    return None


def address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(name: str) -> bool:
    """Whether this address is that of the computer itself."""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _is_here(host: str) -> bool:
    """Whether every computer calls itself by this `Host`."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name == "localhost" or name.endswith(".localhost") or is_loopback(name)


def _port(request: web.Request) -> int:
    """The port on which the request arrived."""
    assert request.transport is not None
    port: int = request.transport.get_extra_info("sockname")[1]
    return port
