"""A room under somebody's keys, without a screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from noughts.terminal.choice import Choice
from noughts.terminal.doors import PrivateDoor
from noughts.terminal.sitting import LEAVE, MENU, Sitting
from tests.support.tables import seen

pytestmark = pytest.mark.real_loop  # the computer searches in a thread


class Seated:
    """A sitting that follows its room."""

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self.following = asyncio.ensure_future(sitting.follow())

    async def press(self, *keys: str) -> str:
        """Press keys one after the other, and return what is shown then."""
        for key in keys:
            self.sitting.press(key)
            for _ in range(5):
                await asyncio.sleep(0)
        return self.shown

    @property
    def shown(self) -> str:
        return seen(self.sitting.draw(80, 24))


async def seated(choice: Choice, *, watches: bool = False) -> AsyncIterator[Seated]:
    door = PrivateDoor(name="Ada", clock=None, pause=60)
    room = await door.open(choice)
    it = Seated(Sitting(door, room, lambda: None, watches=watches))
    yield it
    await room.unwatch()
    await it.following
    await it.sitting.close()


@pytest.fixture
async def here() -> AsyncIterator[Seated]:
    async for it in seated(Choice(against="here")):
        yield it


@pytest.fixture
async def alone() -> AsyncIterator[Seated]:
    async for it in seated(Choice(level="gentle")):
        yield it


async def test_enter_plays_where_the_cursor_is(here: Seated) -> None:
    shown = await here.press("enter", "left", "space")

    assert "‹ │ │ ›│" in shown
    assert here.sitting.room.state.moves == [4, 0]  # the cursor had gone to the top by itself


async def test_letters_of_vi_are_arrows(here: Seated) -> None:
    await here.press("enter", "k", "enter", "h", "enter")

    assert here.sitting.room.state.moves == [4, 1, 0]


async def test_two_digits_name_a_cell_where_one_is_not_enough() -> None:
    async for it in seated(Choice("5x5", "here")):
        assert "2, and then?" in await it.press("2")
        assert "96 names no cell." in await it.press("escape", "9", "6")
        await it.press("2", "3")
        assert it.sitting.room.state.moves == [7]


async def test_resigning_asks_first(here: Seated) -> None:
    assert "Resign this game?" in await here.press("r")
    assert "your turn." in await here.press("x")
    assert "resigned." in await here.press("r", "y")
    assert "game 2" in await here.press("enter")


async def test_a_refusal_is_shown_until_the_next_move(here: Seated) -> None:
    assert "That cell is taken." in await here.press("5", "5")
    assert "That cell is taken." not in await here.press("1")


async def test_while_the_computer_thinks_nothing_can_be_played(alone: Seated) -> None:
    assert "is thinking …" in await alone.press("5")
    assert "Not your turn." in await alone.press("1")
    assert alone.sitting.room.state.moves == [4]


async def test_keys_lead_away_and_a_question_mark_explains_them(here: Seated) -> None:
    assert "choose a cell" in await here.press("?")
    assert "choose a cell" not in await here.press("q")
    assert here.sitting.leads == ""
    await here.press("n")
    assert here.sitting.leads == MENU
    await here.press("escape")
    assert here.sitting.leads == LEAVE


async def test_a_spectator_can_only_leave() -> None:
    async for it in seated(Choice(against="here"), watches=True):
        await it.press("5", "enter", "r", "y", "n", "?")
        assert (it.sitting.room.state.moves, it.sitting.leads) == ([], "")
        await it.press("q")
        assert it.sitting.leads == LEAVE
