"""Openings, games, levels and names with hypothesis: each is taken, or refused as stated.

A peer sends them as text to a house of its own. What is refused changes nothing: no room is opened,
and no log gets longer. What is to be refused is told by the plain rules of `tests/support`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.messages import REQUEST_LIMIT
from server.live.house import House
from server.live.outbox import Outbox
from server.live.peer import Peer
from server.store import Entry
from tests.support.houses import new_house, open_room
from tests.support.outboxes import tick
from tests.support.people import ADA, BO
from tests.support.plain_rules import SIZES, PlainGame
from tests.support.wire import Wire

Frame = dict[str, Any]

USUAL = ("gentle", "easy", "medium", "hard")
TOP = {"drop": "best", "ultimate": "best"}  # elsewhere it is perfect

names = st.sampled_from(sorted(SIZES))
huge = st.sampled_from([-(2**63), 2**31, 2**63, 2**64, 10**30, -(10**1000), 10**1000])
tops = st.sampled_from(["best", "perfect"])
words = st.text(max_size=12)
no_numbers = st.sampled_from([None, True, "", "4", 4.0, 1e300, [], [4], {}, {"cell": 4}])


class Talk:
    """A peer who has said hello, in a house with one room that is not theirs."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._wire = Wire()
        self._late: list[Exception | None] = []
        outbox = Outbox(self._wire, house.scheduler)
        self._peer = Peer(house, outbox, "192.0.2.1", self._late.append)

    async def ask(self, type: str, **fields: object) -> Frame:
        """The answer to a request. Raises if it ends the connection, or is our own fault."""
        text = json.dumps({"type": type, "id": 7, **fields}, separators=(",", ":")).encode()
        assert len(text) <= REQUEST_LIMIT
        seen = len(self._wire.frames)
        self._peer.handle(text, monotonic())
        while self._peer.is_busy:
            await tick()
        for problem in filter(None, self._late):
            raise problem
        await tick()
        [answer] = [frame for frame in self._wire.frames[seen:] if "re" in frame]
        assert answer["re"] == 7
        return answer

    async def refusal(self, type: str, **fields: object) -> str | None:
        """Why a request is refused, having changed nothing; None if it is accepted."""
        before = await self.stored()
        answer = await self.ask(type, **fields)
        if answer["type"] != "refused":
            return None
        assert await self.stored() == before
        assert len(self._house.rooms) == len(before)
        return str(answer["reason"])

    async def stored(self) -> list[Entry]:
        return await self._house.store.rooms()

    def last_state(self) -> Frame:
        return next(frame for frame in reversed(self._wire.frames) if frame["type"] == "state")

    def leave(self) -> None:
        self._peer.drop()


@asynccontextmanager
async def talk() -> AsyncIterator[Talk]:
    house = new_house()
    await open_room(house.rooms, ADA, BO)
    talking = Talk(house)
    try:
        await talking.ask("hello", protocol=1)
        yield talking
    finally:
        talking.leave()
        await house.close()


# ------------------------------------------------------------------------------------ openings


@st.composite
def openings(draw: st.DrawFn) -> tuple[str, list[int]]:
    """The beginning of a game, or all of it, mostly with a cell too many somewhere."""
    game = PlainGame(draw(names))
    for nth in draw(st.lists(st.integers(0, 80), max_size=100)):
        legal = game.legal()
        if not legal:
            break
        game.play(legal[nth % len(legal)])
    moves = list(game.moves)
    cells = st.integers(-2, 82) | huge | st.sampled_from([0, *moves])
    for _ in range(draw(st.sampled_from([0, 1, 1, 2]))):
        moves.insert(draw(st.integers(0, len(moves))), draw(cells))
    return game.name, moves


def first_problem(name: str, moves: list[int]) -> str | None:
    """Why no room can begin with these moves, or None."""
    game = PlainGame(name)
    for cell in moves:
        if game.result() is not None:
            return "game_over"
        if not 0 <= cell < game.rows * game.columns:
            return "no_such_cell"
        if game.board()[cell // game.columns][cell % game.columns] != ".":
            return "cell_taken"
        if cell not in game.legal():
            return "not_playable"
        game.play(cell)
    return None if game.result() is None else "game_over"


@settings(max_examples=150, deadline=None)
@given(openings())
def test_an_opening_is_taken_whole_or_refused_with_the_reason_of_its_first_bad_move(
    opening: tuple[str, list[int]],
) -> None:
    asyncio.run(begin(*opening))


async def begin(name: str, moves: list[int]) -> None:
    expected = first_problem(name, moves)
    async with talk() as talking:
        asked = {"variant": name, "moves": moves, "seats": {"X": "me", "O": "me"}}
        assert await talking.refusal("create", **asked) == expected
        if expected is None:
            state = talking.last_state()
            assert (state["moves"], state["status"]) == (moves, "playing")
            assert state.get("opening", 0) == len(moves)


@settings(max_examples=60, deadline=None)
@given(names, st.lists(st.integers(0, 8), max_size=4), no_numbers, st.data())
def test_an_opening_that_is_no_list_of_whole_numbers_is_malformed(
    name: str, moves: list[object], wrong: object, data: st.DataObject
) -> None:
    moves.insert(data.draw(st.integers(0, len(moves))), wrong)
    lists_are_fine = wrong in ([], [4])
    whole = data.draw(st.sampled_from([moves] if lists_are_fine else [moves, wrong]))

    async def check() -> None:
        async with talk() as talking:
            assert await talking.refusal("create", variant=name, moves=whole) == "malformed"

    asyncio.run(check())


# --------------------------------------------------------------------------- games and levels


@settings(max_examples=100, deadline=None)
@given(names | names | words, tops | st.sampled_from(USUAL) | words, st.booleans())
def test_only_the_games_on_offer_exist_and_only_with_their_levels(
    name: str, level: str, is_x: bool
) -> None:
    asyncio.run(seat(name, level, is_x))


async def seat(name: str, level: str, is_x: bool) -> None:
    if name not in SIZES:
        expected = "no_such_variant"
    else:
        has_level = level in (*USUAL, TOP.get(name, "perfect"))
        expected = "" if has_level else "no_such_level"
    async with talk() as talking:
        mine, theirs = ("O", "X") if is_x else ("X", "O")
        seats = {mine: "open", theirs: {"ai": level}}  # nobody to play with: the AI does not search
        assert await talking.refusal("create", variant=name, seats=seats) == (expected or None)
        assert await talking.refusal("quick", on=True, variant=name) == (
            None if name in SIZES else "no_such_variant"
        )
        if name in SIZES:
            await talking.ask("create", variant=name, seats={mine: "me", theirs: "open"})
            room = talking.last_state()["room"]
            asked = {"room": room, "seat": theirs, "level": level}
            if expected:
                assert await talking.refusal("seat_ai", **asked) == expected


# -------------------------------------------------------------------------------- earlier games


@settings(max_examples=60, deadline=None)
@given(st.integers(-3, 3) | huge, st.none() | st.integers(-3, 3) | huge)
def test_only_games_that_were_played_can_be_analysed(game: int, ply: int | None) -> None:
    async def check() -> None:
        async with talk() as talking:
            asked = {"room": "room", "game": game} | ({} if ply is None else {"ply": ply})
            found = await talking.refusal("analyse", **asked)
            if game != 1:
                assert found == "no_such_game"
            else:
                assert found == (None if ply in (None, 0) else "stale")

    asyncio.run(check())


@settings(max_examples=30, deadline=None)
@given(no_numbers, st.sampled_from(["game", "ply"]))
def test_a_number_of_a_game_or_a_move_that_is_none_is_malformed(wrong: object, field: str) -> None:
    async def check() -> None:
        async with talk() as talking:
            assert await talking.refusal("analyse", room="room", **{field: wrong}) == "malformed"

    asyncio.run(check())


# ---------------------------------------------------------------------------------- names


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40) | no_numbers, st.booleans())
def test_a_seat_is_taken_under_a_name_that_can_be_shown_or_not_at_all(
    name: object, is_sit: bool
) -> None:
    asyncio.run(sit(name, is_sit))


async def sit(name: object, is_sit: bool) -> None:
    async with talk() as talking:
        if is_sit:
            await talking.ask("create", seats={"X": "open", "O": "open"})
            room = talking.last_state()["room"]
            refused = await talking.refusal("sit", room=room, seat="X", name=name)
        else:
            seats = {"X": {"me": name}, "O": "open"}
            refused = await talking.refusal("create", seats=seats)
        assert refused == (None if isinstance(name, str) else "malformed")
        if refused is None:
            shown = talking.last_state()["seats"]["X"]["name"]
            assert 1 <= len(shown) <= 24
            assert shown.isprintable()
