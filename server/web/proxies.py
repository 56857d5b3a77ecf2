"""The address of a client that may be connected through proxies.

Anybody can send `X-Forwarded-For`, so only the entries that a trusted proxy has added count. Read
from the right, the first address that is not a trusted proxy's is the client's. In the same way,
`X-Forwarded-Proto` counts only if a trusted proxy sends it.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from server.live.addresses import HOUSEHOLD

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class Proxies:
    def __init__(self, networks: Iterable[Network]) -> None:
        self._networks = tuple(networks)

    def is_trusted(self, address: str) -> bool:
        return self._has(_parse(address))

    def client(self, peer: str, forwarded: Iterable[str]) -> str:
        """The address that limits apply to. An IPv6 address is replaced by its network.

        `forwarded` are the `X-Forwarded-For` headers of a request from `peer`.
        """
        client = None
        chain = [name.strip() for line in forwarded for name in line.split(",")]
        for name in (peer, *reversed(chain)):
            address = _parse(name)
            if address is None:
                break
            client = address
            if not self._has(address):
                break
        return peer if client is None else _limited(client)

    def scheme(self, peer: str, scheme: str, forwarded: str | None) -> str:
        """The scheme that the client uses, also if a proxy ends its TLS."""
        return "https" if forwarded == "https" and self.is_trusted(peer) else scheme

    def _has(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self._networks)


def _parse(name: str) -> Address | None:
    try:
        address = ip_address(name)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _limited(address: Address) -> str:
    """The address or network that limits apply to.

    >>> _limited(ip_address("2001:db8::1234:5"))
    '2001:db8::/64'
    """
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((int(address), HOUSEHOLD), strict=False))
