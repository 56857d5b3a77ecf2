"""Binds every address that a host name stands for, on one port.

`::` stands for every address of this machine, of IPv4 as well. asyncio by itself would bind it for
IPv6 alone, and would give each address of a name a port of its own if the port is 0.
"""

from __future__ import annotations

import errno
import os
import socket
from socket import AF_INET6, AI_PASSIVE, IPPROTO_IPV6, IPV6_V6ONLY, SO_REUSEADDR, SOCK_STREAM
from typing import Any

ATTEMPTS = 10  # to find a port that is free on every address
NO_SUCH_FAMILY = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)  # IPv6 is turned off

Address = tuple[int, tuple[Any, ...]]  # family and address, as the socket module has them


def bind(host: str, port: int) -> list[socket.socket]:
    """A socket for each address of the host, all bound to the same port. Raises `OSError`."""
    found = socket.getaddrinfo(host or None, port, type=SOCK_STREAM, flags=AI_PASSIVE)
    addresses: list[Address] = list({(family, address) for family, _, _, _, address in found})
    addresses.sort(key=lambda it: (it[0] == AF_INET6, it[1]))
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _bind_all(addresses, port)
        except OSError as problem:
            if port or problem.errno != errno.EADDRINUSE or attempt == ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")


def _bind_all(addresses: list[Address], port: int) -> list[socket.socket]:
    bound: list[socket.socket] = []
    missing: OSError | None = None
    try:
        for family, address in addresses:
            try:
                bound.append(_bind(family, (address[0], port, *address[2:])))
            except OSError as problem:
                if problem.errno not in NO_SUCH_FAMILY:
                    raise
                missing = problem
            else:
                port = bound[0].getsockname()[1]
    except OSError:
        for each in bound:
            each.close()
        raise
    if missing is not None and not bound:
        raise missing
    return bound


def _bind(family: int, address: tuple[Any, ...]) -> socket.socket:
    bound = socket.socket(family, SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            bound.setsockopt(socket.SOL_SOCKET, SO_REUSEADDR, 1)
        if family == AF_INET6:
            bound.setsockopt(IPPROTO_IPV6, IPV6_V6ONLY, int(address[0] != "::"))
        bound.bind(address)
        bound.setblocking(False)
    except OSError:
        bound.close()
        raise
    return bound
