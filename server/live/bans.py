"""Addresses and networks that may not connect, kept in a file so that they survive a restart.

An address is what the limits count by: of IPv6 that is a /64 (`web/proxies.py`), so a narrower ban
is widened to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

import msgspec

from server import atomic
from server.live.addresses import HOUSEHOLD
from server.store import CannotOpen

Network = IPv4Network | IPv6Network

MAPPED = 96  # leading bits of an IPv4 address that is written as an IPv6 one
MOST = 10_000  # bans; each is looked at in every handshake


class Ban(msgspec.Struct):
    """`until`: milliseconds since 1970, or None for good."""

    network: str
    since: int
    until: int | None = None


class _File(msgspec.Struct):
    bans: list[Ban]


class TooMany(Exception):
    """There are as many bans as there may be."""


class Bans:
    """`path`: where they are kept. Without one they end with the process."""

    def __init__(self, path: Path | None, *, now: Callable[[], int]) -> None:
        self._path = path
        self._now = now
        self._bans: dict[Network, Ban] = {}
        if path is not None:
            self._bans = {ip_network(ban.network): ban for ban in _read(path)}

    def __iter__(self) -> Iterator[Ban]:
        """The bans that hold now, oldest first."""
        now = self._now()
        for ban in self._bans.values():
            if ban.until is None or ban.until > now:
                yield ban

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def refuses(self, address: str) -> bool:
        """Whether this address may not connect. An address that is none may."""
        if not self._bans:
            return False
        try:
            asking = ip_network(address)
        except ValueError:
            return False
        now = self._now()
        return any(
            (ban.until is None or ban.until > now) and _is_within(asking, network)
            for network, ban in self._bans.items()
        )

    def add(self, network: Network, span: int | None = None) -> Ban:
        """Ban a network, for `span` milliseconds or for good. It holds even if `OSError` is raised.

        Raises `OSError` if it cannot be written, and `TooMany`.
        """
        network = widened(network)
        self._drop_over()
        if len(self._bans) >= MOST and network not in self._bans:
            raise TooMany
        now = self._now()
        ban = self._bans[network] = Ban(str(network), now, None if span is None else now + span)
        self._write()
        return ban

    def remove(self, network: Network) -> bool:
        """Lift a ban; False if there is none. Raises `OSError` if that cannot be written."""
        if self._bans.pop(widened(network), None) is None:
            return False
        self._write()
        return True

    def _drop_over(self) -> None:
        held = {ban.network for ban in self}
        self._bans = {key: ban for key, ban in self._bans.items() if ban.network in held}

    def _write(self) -> None:
        if self._path is not None:
            atomic.write(self._path, msgspec.json.encode(_File(list(self))))


def check_folder(path: Path) -> None:
    """Raise `CannotOpen` unless bans can be kept in this file."""
    if not os.access(path.parent, os.W_OK | os.X_OK):
        what = "cannot be written to" if path.parent.is_dir() else "is not there"
        raise CannotOpen(f"cannot keep bans in {path}: the folder {path.parent} {what}")


def widened(network: Network) -> Network:
    """The network that a ban of this one is for.

    >>> widened(ip_network("2001:db8::1")), widened(ip_network("192.0.2.7"))
    (IPv6Network('2001:db8::/64'), IPv4Network('192.0.2.7/32'))
    """
    if isinstance(network, IPv4Network) or network.prefixlen <= HOUSEHOLD:
        return network
    mapped = network.network_address.ipv4_mapped
    if mapped is not None and network.prefixlen >= MAPPED:
        return IPv4Network((mapped, network.prefixlen - MAPPED))
    return network.supernet(new_prefix=HOUSEHOLD)


def _is_within(one: Network, other: Network) -> bool:
    if isinstance(one, IPv4Network):
        return isinstance(other, IPv4Network) and one.subnet_of(other)
    return isinstance(other, IPv6Network) and one.subnet_of(other)


def _read(path: Path) -> list[Ban]:
    try:
        bans = msgspec.json.decode(path.read_bytes(), type=_File).bans
        for ban in bans:
            ip_network(ban.network)
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as problem:  # a DecodeError is a ValueError
        raise CannotOpen(f"cannot read the bans in {path}: {problem}") from problem
    return bans
