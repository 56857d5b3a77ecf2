"""The address of a page, and what follows from it: the socket's address, and the room it names.

>>> read("https://example.org/r/Jx3kQ9aTnB2mWc7L")
Address(page='https://example.org', socket='wss://example.org/ws', room='Jx3kQ9aTnB2mWc7L')
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from noughts.errors import Error

SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
_ROOM = re.compile(r"/(?:r|tv)/([A-Za-z0-9_-]+)")


class Address(NamedTuple):
    page: str
    socket: str
    room: str | None


def read(url: str) -> Address:
    """The address of a page, or of one of its rooms. Raises `Error` if it is none."""
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port  # a bad port raises ValueError
    except ValueError as problem:
        raise Error(f"{url!r} is not the address of a page: {problem}.") from None
    if parts.scheme not in SCHEMES or not host or re.search(r"\s", parts.netloc):
        raise Error(
            f"{url!r} is not the address of a page. It looks like http://127.0.0.1:8080 "
            "or https://example.org/r/ROOM."
        )
    scheme = SCHEMES[parts.scheme]
    page = f"{'https' if scheme == 'wss' else 'http'}://{parts.netloc}"
    room = _ROOM.match(parts.path)
    return Address(page, f"{scheme}://{parts.netloc}/ws", room and room[1])


def room_id(given: str) -> str:
    """The id of a room that is given as its id, or as its address."""
    if "/" not in given:
        return given
    room = read(given).room
    if room is None:
        raise Error(f"{given!r} is not the address of a room. It ends with /r/ROOM.")
    return room
