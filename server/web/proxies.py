"""Whose connection it is: the peer's own or, if a trusted proxy says so, of whom it speaks for.

Anybody can write anything into `X-Forwarded-For`. Only what a trusted proxy has added counts: read
from the right, the first address that is not itself a trusted proxy. The same goes for
`X-Forwarded-Proto`.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Network = IPv4Network | IPv6Network

HOUSEHOLD = 64  # leading bits of an IPv6 address that one household shares


class Proxies:
    def __init__(self, networks: Iterable[Network]) -> None:
        self._networks = tuple(networks)

    def trust(self, address: str) -> bool:
        return self._trusts(_read(address))

    def client(self, peer: str, forwarded: Iterable[str]) -> str:
        """The address whose limits count; an IPv6 one stands for its household."""
        client = None
        chain = [name.strip() for line in forwarded for name in line.split(",")]
        for name in (peer, *reversed(chain)):
            address = _read(name)
            if address is None:
                break
            client = address
            if not self._trusts(address):
                break
        return peer if client is None else _counted(client)

    def scheme(self, peer: str, scheme: str, forwarded: str | None) -> str:
        """How the client came: by `http`, or by `https` up to a proxy."""
        return "https" if forwarded == "https" and self.trust(peer) else scheme

    def _trusts(self, address: IPv4Address | IPv6Address | None) -> bool:
        return address is not None and any(address in network for network in self._networks)


def _read(name: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(name)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _counted(address: IPv4Address | IPv6Address) -> str:
    """
    >>> _counted(ip_address("2001:db8::1234:5"))
    '2001:db8::/64'
    """
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((int(address), HOUSEHOLD), strict=False))
