"""A game in a pipe: lines in, boards out."""

from __future__ import annotations

import asyncio
import os
from io import StringIO

import pytest

from noughts.errors import Refused
from noughts.terminal.choice import Choice
from noughts.terminal.doors import PrivateDoor
from noughts.terminal.lines import LineGame, Lines
from noughts.terminal.styled import Look

pytestmark = pytest.mark.real_loop  # a thread reads the lines


async def played(text: str, choice: Choice) -> None:
    door = PrivateDoor(name="Ada", clock=None, pause=0)
    room = await door.open(choice)
    async with asyncio.timeout(30):
        await LineGame(door, room, Lines(StringIO(text)), Look()).run()
    await room.unwatch()


async def test_every_line_is_a_cell_or_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    await played("1\n5\n2\nresign\nagain\nboard\nhelp\nquit\n5\n", Choice(against="here"))

    out = capsys.readouterr().out
    assert "Player 2 resigned." in out
    assert out.count("game 2") == 2
    assert "A cell (1–9 cell), resign, again (after the end), board, help or quit." in out
    assert "‹X›│ 2 │ 3" in out


async def test_the_end_of_the_input_is_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    await played("", Choice("ultimate", "here"))

    assert capsys.readouterr().out.count("your turn") == 1


async def test_boards_while_the_computer_thinks_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    await played("5\n", Choice(level="gentle"))

    out = capsys.readouterr().out
    assert "thinking" not in out
    assert out.count("Your turn.") == 2


async def test_a_word_is_answered_while_the_other_side_is_to_move(
    capsys: pytest.CaptureFixture[str],
) -> None:
    door = PrivateDoor(name="Ada", clock=None, pause=3600)
    room = await door.open(Choice(side="O"))
    lines = Lines(StringIO("help\nboard\nresign\nquit\n"))
    async with asyncio.timeout(30):
        await LineGame(door, room, lines, Look()).run()
    await room.unwatch()

    out = capsys.readouterr().out
    assert "A cell (1–9 cell), resign" in out
    assert "is thinking" in out
    assert "You resigned." in out


async def test_the_end_of_a_room_is_noticed_while_a_line_is_awaited() -> None:
    door = PrivateDoor(name="Ada", clock=None, pause=0)
    room = await door.open(Choice())
    own, other = os.pipe()
    with open(own, encoding="utf-8") as file:
        playing = asyncio.ensure_future(LineGame(door, room, Lines(file), Look()).run())
        await asyncio.sleep(0)
        room._states.end(Refused("no_such_room", "The operator has closed this room."))  # type: ignore[attr-defined]
        try:
            with pytest.raises(Refused, match="has closed this room"):
                await asyncio.wait_for(playing, 30)
        finally:
            os.close(other)
            await room.unwatch()


async def test_after_the_end_the_word_for_another_game_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    await played("resign\n5\n", Choice(against="here"))

    assert "Type again to play another one, or quit." in capsys.readouterr().out
