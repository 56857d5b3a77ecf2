"""A game without a server: the same rules, the same sentences, and an AI that moves by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

import pytest

from noughts.errors import Refused
from noughts.messages import State
from noughts.shapes import AISeat, HumanSeat, Mark
from server.core.rules import VARIANTS
from server.private import LEVELS, PrivateRoom

pytestmark = pytest.mark.real_loop  # the AI searches in a thread


async def until(room: PrivateRoom, is_so: Callable[[State], bool]) -> State:
    async with asyncio.timeout(30):
        async for state in room.states():
            if is_so(state):
                return state
    raise AssertionError("the room was closed")


@pytest.fixture
async def here() -> AsyncIterator[PrivateRoom]:
    """Two people at one keyboard."""
    room = PrivateRoom("3x3", {"X": "Ada", "O": "Bo"})
    yield room
    await room.unwatch()


async def test_two_people_at_one_keyboard_play_both_sides(here: PrivateRoom) -> None:
    for cell in (0, 3, 1, 4, 2):
        assert here.my_turn
        await here.play(cell)

    assert here.marks == ("X", "O")
    assert here.state.outcome is not None
    assert here.state.outcome.line == [0, 1, 2]


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [(4, "That cell is taken. Choose a free one."), (9, "This board has no such cell.")],
)
async def test_a_move_that_cannot_be_is_refused_with_the_servers_sentence(
    here: PrivateRoom, cell: int, sentence: str
) -> None:
    await here.play(4)
    before = here.state

    with pytest.raises(Refused, match=sentence):
        await here.play(cell)
    assert here.state is before


async def test_a_move_chosen_on_an_older_board_is_refused(here: PrivateRoom) -> None:
    old = here.state
    await here.play(4)

    with pytest.raises(Refused) as refused:
        await here.play(0, state=old)
    assert refused.value.reason == "stale"


async def test_a_game_can_be_resigned_and_played_again_with_marks_swapped(
    here: PrivateRoom,
) -> None:
    await here.resign()
    await here.rematch()

    seat = here.state.seats.X
    assert isinstance(seat, HumanSeat)
    assert (here.state.game, seat.name) == (2, "Bo")
    assert here.state.score.X == 1


@pytest.mark.parametrize("variant", VARIANTS)
async def test_a_whole_game_against_the_computer(variant: str) -> None:
    seats: Mapping[Mark, str] = {"X": "Ada", "O": LEVELS[variant][1]}
    room = PrivateRoom(variant, seats, pause=0, seed="a seed")
    async with asyncio.timeout(60):
        async for state in room.states():
            if state.status == "over":
                break
            if room.my_turn:
                free = [cell for cell, mark in enumerate(state.board) if mark is None]
                await room.play((state.playable or free)[0])
    assert isinstance(room.state.seats.O, AISeat)
    await room.rematch()  # the AI agrees at once, and X is its now
    assert room.marks == ("O",)
    await until(room, lambda state: state.turn == "O")
    await room.unwatch()


async def test_the_same_seed_plays_the_same_game() -> None:
    games = []
    for _ in range(2):
        room = PrivateRoom("5x5", {"X": "hard", "O": "easy"}, pause=0, seed="a seed")
        games.append((await until(room, lambda state: state.status == "over")).moves)
        await room.unwatch()

    assert games[0] == games[1]


async def test_a_flag_falls_although_nobody_does_anything() -> None:
    room = PrivateRoom("3x3", {"X": "Ada", "O": "Bo"}, clock=(60, 0))
    await room.play(4)

    state = await until(room, lambda state: state.status == "over")
    assert state.outcome is not None
    assert (state.outcome.winner, state.outcome.by) == ("X", "time")
    await room.unwatch()


async def test_readers_stop_when_the_room_is_closed_while_the_computer_thinks() -> None:
    room = PrivateRoom("drop", {"X": "best", "O": "Ada"}, pause=60)
    reading = asyncio.ensure_future(until(room, lambda state: bool(state.moves)))
    await asyncio.sleep(0)
    await room.unwatch()

    with pytest.raises(AssertionError, match="closed"):
        await reading


async def test_a_game_that_does_not_exist_is_refused() -> None:
    with pytest.raises(Refused):
        PrivateRoom("chess", {"X": "Ada", "O": "Bo"})
