"""docs/protocol.md §1: hello, welcome, tokens and names."""

from __future__ import annotations

import json
import re
import socket
import struct
import time
import unicodedata
from typing import Any

import pytest

from tests.support.dialling import Player, dialled
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

TOKEN = "k" * 43


async def test_a_welcome_carries_everything_a_client_needs(server: Served) -> None:
    async with dialled(server.ws, hello=False) as player:
        welcome = await player.ask("hello", protocol=1, name="Ada")
    assert welcome["type"] == "welcome"
    assert welcome["protocol"] == 1
    assert welcome["player"].keys() == {"id", "name"}
    assert welcome["player"]["name"] == "Ada"
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", welcome["token"])
    assert abs(welcome["now"] - time.time() * 1000) < 60_000
    assert isinstance(welcome["now"], int)
    usual = ["gentle", "easy", "medium", "hard"]
    exact, strong = [*usual, "perfect"], [*usual, "best"]
    small = {"rows": 3, "columns": 3, "line": 3, "levels": exact}
    assert welcome["variants"] == [
        {"name": "3x3", **small},
        {"name": "reverse", **small, "avoid": True},
        {"name": "vanishing", **small, "keep": 3, "limit": 100},
        {"name": "5x5", "rows": 5, "columns": 5, "line": 4, "levels": exact},
        {"name": "drop", "rows": 6, "columns": 7, "line": 4, "falls": True, "levels": strong},
        {"name": "ultimate", "rows": 9, "columns": 9, "line": 3, "nested": True, "levels": strong},
    ]
    assert {"good_luck", "good_game"} <= set(welcome["phrases"])


async def test_hello_without_an_id_is_answered_with_re_null(server: Served) -> None:
    async with dialled(server.ws, hello=False) as player:
        welcome = await player.raw('{"type":"hello","protocol":1}')
    assert welcome["type"] == "welcome"
    assert welcome["re"] is None


async def test_a_token_brings_back_the_same_player(server: Served) -> None:
    async with dialled(server.ws, name="Ada") as first:
        token, id = first.token, first.id
    async with dialled(server.ws, token=token, name="Ada L.") as again:
        assert again.id == id
        assert again.token == token
        assert again.welcome["player"]["name"] == "Ada L."


async def test_two_newcomers_are_two_players(ada: Player, bob: Player) -> None:
    assert ada.id != bob.id
    assert ada.token != bob.token


async def test_a_player_id_reveals_nothing_of_the_token(server: Served) -> None:
    async with dialled(server.ws, token=TOKEN) as player:
        assert player.token == TOKEN
        assert TOKEN not in player.id
        assert not TOKEN.startswith(player.id)


async def test_a_token_is_in_no_frame_but_the_welcome_and_not_in_the_log(server: Served) -> None:
    async with dialled(server.ws, token="T0ken" + "s" * 38) as player:
        room = await player.create(seats={"X": "me", "O": "me"})
        await player.accept("play", room=room, cell=4, ply=0)
        await player.ask("say", room=room, phrase="hello")
        await player.of_type("said")
        if not any(frame["type"] == "presence" for frame in player.seen):
            await player.of_type("presence")
        assert sum(player.token in json.dumps(frame) for frame in player.seen) == 1
        assert player.token not in server.log


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Ada", "Ada"),
        ("x" * 24, "x" * 24),
        ("x" * 25, "x" * 24),
        ("é" * 30, "é" * 24),
        ("e\u0301", "\u00e9"),
        ("A\u202edl\u200ba\u0007\u200f", "Adla"),
        ("日本", "日本"),
        ("<b>&", "<b>&"),
    ],
)
async def test_a_name_is_shown_composed_clean_and_cut(
    server: Served, given: str, shown: str
) -> None:
    async with dialled(server.ws, name=given) as player:
        assert player.welcome["player"]["name"] == shown


@pytest.mark.parametrize("given", [None, "", "   ", "\u200b\u202e\u0000", "\u2066\u2069\ufeff"])
async def test_a_player_without_a_name_gets_a_friendly_one(
    server: Served, given: str | None
) -> None:
    fields: dict[str, Any] = {} if given is None else {"name": given}
    async with dialled(server.ws, **fields) as player:
        name = player.welcome["player"]["name"]
    assert 1 <= len(name) <= 24
    assert name.isprintable()
    assert unicodedata.is_normalized("NFC", name)


async def test_a_friendly_name_stays_the_same_for_the_same_player(server: Served) -> None:
    async with dialled(server.ws) as first, dialled(server.ws, token=first.token) as second:
        assert first.welcome["player"] == second.welcome["player"]


async def test_several_sockets_of_one_player_all_see_the_same_state(
    server: Served, bob: Player
) -> None:
    async with dialled(server.ws, name="Ada") as tab, dialled(server.ws, token=tab.token) as phone:
        room = await tab.create()
        assert (await phone.watch(room))["seq"] == 2
        await bob.accept("sit", room=room, seat="O")
        await phone.accept("play", room=room, cell=4, ply=0)
        states = [await each.state(room, lambda s: s["moves"] == [4]) for each in (tab, phone, bob)]
        assert states[0] == states[1] == states[2]
        await bob.accept("play", room=room, cell=0, ply=1)
        await tab.accept("play", room=room, cell=8, ply=2)
        assert (await phone.state(room, lambda s: len(s["moves"]) == 3))["moves"] == [4, 0, 8]


@pytest.mark.parametrize(
    "token",
    ["", "k" * 42, "k" * 44, "k" * 42 + "+", "k" * 42 + "=", "k" * 43 + "\n", "é" * 43, None, 7],
)
async def test_a_token_of_another_form_is_malformed(server: Served, token: object) -> None:
    async with dialled(server.ws, hello=False) as player:
        assert await player.reason("hello", protocol=1, token=token) == "malformed"
        assert await player.reason("ping") == "hello_first"
        assert (await player.ask("hello", protocol=1, token=TOKEN))["type"] == "welcome"


@pytest.mark.parametrize("name", [None, 7, ["Ada"], True])
async def test_a_name_that_is_not_text_is_malformed(server: Served, name: object) -> None:
    async with dialled(server.ws, hello=False) as player:
        assert await player.reason("hello", protocol=1, name=name) == "malformed"


async def test_a_second_hello_is_malformed_and_changes_nothing(ada: Player) -> None:
    assert await ada.reason("hello", protocol=1) == "malformed"
    assert await ada.reason("hello", protocol=1, token=TOKEN, name="Mallory") == "malformed"
    room = (await ada.accept("create"))["room"]
    seat = (await ada.state(room))["seats"]["X"]
    assert seat == {"kind": "human", "player": ada.id, "name": "Ada"}


@pytest.mark.parametrize("protocol", [0, 2, -1, 10**30])
async def test_an_unknown_protocol_is_refused_and_the_socket_closed_with_1008(
    server: Served, protocol: int
) -> None:
    async with dialled(server.ws, hello=False) as player:
        refused = await player.ask("hello", protocol=protocol, fields_of="tomorrow")
        assert refused["reason"] == "unsupported_protocol"
        assert await player.closed() == 1008


@pytest.mark.parametrize("protocol", [None, "1", 1.0, True])
async def test_a_protocol_that_is_no_integer_is_malformed(server: Served, protocol: object) -> None:
    async with dialled(server.ws, hello=False) as player:
        assert await player.reason("hello", protocol=protocol) == "malformed"
        assert (await player.ask("hello", protocol=1))["type"] == "welcome"


@pytest.mark.parametrize(
    "command",
    [
        {"type": "ping"},
        {"type": "create"},
        {"type": "lobby", "on": True},
        {"type": "watch", "room": "nowhere"},
        {"type": "play", "room": "nowhere", "cell": 99, "ply": -1},
        {"type": "analyse", "room": "nowhere"},
    ],
)
async def test_a_well_formed_command_before_hello_is_refused_as_hello_first(
    server: Served, command: dict[str, object]
) -> None:
    async with dialled(server.ws, hello=False) as player:
        answer = await player.raw(json.dumps({**command, "id": "a"}))
        assert (answer["type"], answer["re"], answer["reason"]) == ("refused", "a", "hello_first")
        assert (await player.ask("hello", protocol=1))["type"] == "welcome"


@pytest.mark.parametrize(
    "frame", ["", "no", "[]", '{"type":"pong"}', '{"type":"play"}', '{"type":"hello"}']
)
async def test_a_malformed_frame_before_hello_is_malformed(server: Served, frame: str) -> None:
    async with dialled(server.ws, hello=False) as player:
        assert (await player.raw(frame))["reason"] == "malformed"
        assert (await player.ask("hello", protocol=1))["type"] == "welcome"


async def test_a_connection_lost_during_the_handshake_leaves_no_traceback(
    server: Served,
) -> None:
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    request = (
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()
    callers = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
    for caller in callers:  # all at once, so that most are gone when the server gets to them
        caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        caller.sendall(request)
        caller.close()

    async with dialled(server.ws) as player:
        assert (await player.ask("ping"))["type"] == "pong"
    assert "Traceback" not in server.log


async def test_ids_and_tokens_have_the_documented_form(ada: Player) -> None:
    room = await ada.create()
    for text, size in ((ada.id, 16), (room, 16), (ada.token, 43)):
        assert re.fullmatch(f"[A-Za-z0-9_-]{{{size}}}", text)
    assert len((await ada.accept("create", nonce="n" * 64))["room"]) == 16
    assert await ada.reason("create", nonce="n" * 65) == "malformed"


@pytest.mark.parametrize(
    ("type", "fields", "reason"),
    [
        ("create", {"clock": {"budget": 4_999}}, "malformed"),
        ("create", {"clock": {"budget": 5_000, "increment": 60_001}}, "malformed"),
        ("play", {"cell": 9, "ply": 0}, "no_such_cell"),
        ("play", {"cell": 0, "ply": -1}, "stale"),
        ("play", {"cell": 0, "ply": 0, "game": 2}, "stale"),
        ("analyse", {"game": 99}, "no_such_game"),
    ],
)
async def test_a_number_out_of_range_has_the_documented_reason(
    ada: Player, type: str, fields: dict[str, object], reason: str
) -> None:
    room = await ada.create(seats={"X": "me", "O": {"ai": "easy"}})
    named = {} if type == "create" else {"room": room}
    assert await ada.reason(type, **named, **fields) == reason
