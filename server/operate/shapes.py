"""What goes through the operator's door, both ways."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Annotated

from msgspec import Meta, Struct

from server.live.bans import Ban, Network

LONGEST = 500  # characters of an announcement; it has to fit on a phone
SPAN = 10**12  # ms

Span = Annotated[int, Meta(gt=0, lt=SPAN)]


class BanWish(Struct, forbid_unknown_fields=True):
    """`span`: for how many milliseconds; None for good."""

    network: str
    span: Span | None = None

    def __post_init__(self) -> None:
        read_network(self.network)


class UnbanWish(Struct, forbid_unknown_fields=True):
    network: str

    def __post_init__(self) -> None:
        read_network(self.network)


class AnnounceWish(Struct, forbid_unknown_fields=True):
    """An empty text takes the last announcement back."""

    text: Annotated[str, Meta(max_length=LONGEST)]
    restart_in: Span | None = None


class Connection(Struct):
    """`age` is in milliseconds. `waiting`: bytes that it has not been sent yet."""

    address: str
    age: int
    player: str | None
    name: str | None
    rooms: int
    waiting: int


class Connections(Struct):
    connections: list[Connection]


class Held(Struct):
    bans: list[Ban]


class Done(Struct):
    """`count`: how many connections or rooms that was. `problem`: what went wrong beside it."""

    count: int
    problem: str = ""


def read_network(text: str) -> Network:
    """Raises `ValueError`."""
    return ip_network(text, strict=False)
