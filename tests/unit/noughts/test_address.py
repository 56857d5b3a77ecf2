"""The address of a page: what follows from it, and a sentence for one that is none."""

from __future__ import annotations

import pytest

from noughts.address import read, room_id
from noughts.errors import Error


@pytest.mark.parametrize(
    ("url", "page", "socket", "room"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "ws://127.0.0.1:8080/ws", None),
        ("https://example.org/", "https://example.org", "wss://example.org/ws", None),
        ("https://example.org/r/Jx-_3", "https://example.org", "wss://example.org/ws", "Jx-_3"),
        ("https://example.org/r/Jx3/2?a#b", "https://example.org", "wss://example.org/ws", "Jx3"),
        ("http://example.org/tv", "http://example.org", "ws://example.org/ws", None),
        (" ws://[::1]:80/ws ", "http://[::1]:80", "ws://[::1]:80/ws", None),
    ],
)
def test_the_socket_and_the_room_follow_from_the_page(
    url: str, page: str, socket: str, room: str | None
) -> None:
    assert read(url) == (page, socket, room)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "127.0.0.1",
        "ftp://a",
        "http://",
        "http://a:b",
        "http://[",
        "http://a b",
    ],
)
def test_anything_else_gets_a_sentence(url: str) -> None:
    with pytest.raises(Error, match="is not the address of a page"):
        read(url)


def test_a_room_is_named_by_its_id_or_its_address() -> None:
    assert room_id("Jx3") == room_id("http://a/r/Jx3") == "Jx3"
    with pytest.raises(Error, match="is not the address of a room"):
        room_id("http://a/tv")
