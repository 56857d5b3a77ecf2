"""`noughts bot MODULE:choose URL`: it plays, and explains what is wrong with a function."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

import noughts
from tests.docs.bots.programs import bot, oppose, run, running
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

FUNCTIONS = """
import asyncio, sys, time

def first(state):
    return state.choices[0]

async def slow(state):
    await asyncio.sleep(0.01)
    return state.choices[-1]

def taken(state):
    return next(cell for cell, mark in enumerate(state.board) if mark) if state.moves else 0

def helper(state):
    return 1 / 0

def fails(state):
    return helper(state)

def text(state):
    return "4"

def nothing():
    pass

def empty(state):
    return next(iter([]))

def exits(state):
    sys.exit()

def interrupts(state):
    raise KeyboardInterrupt

async def exits_async(state):
    sys.exit()

async def cancels(state):
    raise asyncio.CancelledError

async def busy(state):
    print("busy", flush=True)
    while True:
        pass

def for_ever(state):
    time.sleep(3600)

number = 7
"""
HANG = 60.0  # seconds; only a hang takes so long


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(FUNCTIONS)
    (tmp_path / "broken.py").write_text("import nothing_of_this_name\n")
    return tmp_path


@pytest.mark.parametrize("what", ["mine:first", "mine.py:slow"])
async def test_a_function_plays_games_and_the_bot_says_how_they_ended(
    server: Served, folder: Path, what: str
) -> None:
    playing = asyncio.create_task(oppose(server.url, 2, "drop"))
    code, out, err = await run(
        folder, *bot(what, server.url, "--games", "2", "--variant", "drop", "--token-file", "me")
    )
    playing.cancel()

    assert (code, err) == (0, "")
    assert out.startswith(f"O in {server.url}/r/")
    assert out.count("\ngame ") == 2
    assert (folder / "me").exists()


@pytest.mark.parametrize(
    ("function", "explanations"),
    [
        ("taken", ["has returned ", "That cell is taken.", "X was to move:"]),
        ("fails", ["in fails\n", "in helper\n", "ZeroDivisionError", "mine.py:fails has failed."]),
        ("text", ["has returned '4'. A cell is a number from 0 to 8."]),
        ("nothing", ["takes 0 positional arguments", "mine.py:nothing has failed."]),
        ("empty", ["in empty\n", "StopIteration", "mine.py:empty has failed."]),
        ("exits", ["in exits\n", "SystemExit", "mine.py:exits has failed."]),
        ("interrupts", ["in interrupts\n", "KeyboardInterrupt", "mine.py:interrupts has failed."]),
        ("exits_async", ["in exits_async\n", "SystemExit", "mine.py:exits_async has failed."]),
        ("cancels", ["in cancels\n", "CancelledError", "mine.py:cancels has failed."]),
    ],
)
async def test_a_wrong_function_is_explained_and_gives_its_seat_up(
    server: Served, folder: Path, function: str, explanations: list[str]
) -> None:
    async with noughts.connect(server.url) as me:
        room = await me.create(seats={"X": "open", "O": "me"}, moves=[4, 0], public=False)
        address = f"{server.url}/r/{room.id}"
        code, _, err = await run(folder, *bot(f"mine.py:{function}", address))

        assert code == 1
        assert all(each in err for each in explanations), err
        assert "chooser.py" not in err
        async for state in room.states():
            if state.seats.open == ["X"]:
                break


@pytest.mark.parametrize(
    ("what", "code", "explanation"),
    [
        ("mine", 2, "does not name a function"),
        ("mine.py:none", 2, "mine.py has no function 'none'."),
        ("mine:number", 2, "mine:number is not a function."),
        ("yours.py:choose", 2, "There is no file yours.py."),
        ("yours:choose", 2, "There is no module 'yours'."),
        ("broken.py:choose", 1, "No module named 'nothing_of_this_name'\nbroken.py cannot be"),
        ("broken:choose", 1, "No module named 'nothing_of_this_name'\nbroken cannot be"),
    ],
)
async def test_a_function_that_is_not_there_is_explained(
    folder: Path, what: str, code: int, explanation: str
) -> None:
    ended, out, err = await run(folder, *bot(what, "http://127.0.0.1:1"))

    assert (ended, out) == (code, "")
    assert explanation in err
    assert "noughts/" not in err


async def test_a_bad_address_room_or_game_is_explained(server: Served, folder: Path) -> None:
    for arguments, code, explanation in [
        (["nowhere"], 2, "'nowhere' is not the address of a page"),
        (["http://127.0.0.1:1"], 3, "Nothing answers at http://127.0.0.1:1: Connection refused."),
        ([server.url, "--room", "nope"], 3, "There is no such room"),
        ([server.url, "--variant", "chess"], 2, "There is no game 'chess'. There are 3x3,"),
    ]:
        ended, _, err = await run(folder, *bot("mine:first", *arguments))
        assert ended == code
        assert err.startswith(f"noughts bot: {explanation}")


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_a_bot_that_is_stopped_gives_its_seat_up(
    server: Served, folder: Path, sent: signal.Signals, code: int
) -> None:
    async with noughts.connect(server.url) as me:
        room = await me.create(seats={"X": "open", "O": "me"}, public=False)
        command = bot("mine:for_ever", server.url, "--room", room.id)
        async with running(folder, *command) as process:
            async for state in room.states():
                if not state.seats.open:
                    process.send_signal(sent)
                    break
            assert await asyncio.wait_for(process.wait(), 30) == code
        async for state in room.states():
            if state.seats.open == ["X"]:
                break


@pytest.mark.parametrize("games", ["0", "-1", "many"])
async def test_a_number_of_games_that_cannot_be_is_refused(folder: Path, games: str) -> None:
    code, _, err = await run(folder, *bot("mine:first", "http://127.0.0.1:1", f"--games={games}"))

    assert code == 2
    assert f"--games: {games!r} is not a number of games: give 1 or more." in err


async def test_a_game_that_was_over_before_the_bot_came_does_not_count(
    server: Served, folder: Path
) -> None:
    async with noughts.connect(server.url) as me:
        room = await me.create(seats={"X": "me", "O": "me"}, public=False)
        for cell in (0, 3, 1, 4, 2):
            await room.play(cell)
        await room.leave()
        await me.sit(room.id, "X")
        command = bot("mine:first", f"{server.url}/r/{room.id}", "--games", "1")
        playing = asyncio.create_task(run(folder, *command))
        async with asyncio.timeout(HANG):  # the bot may leave without another state
            async for state in room.states():
                if state.game == 2 and state.status == "over":
                    break
                if state.status == "over" and not state.seats.open and "X" not in state.rematch:
                    await room.rematch()
                elif room.my_turn:
                    await room.play(state.choices[-1])
            code, out, _ = await playing

    assert code == 0
    assert [line[:6] for line in out.splitlines()[1:]] == ["game 2"]


async def test_a_second_interrupt_ends_a_function_that_never_lets_go(
    server: Served, folder: Path
) -> None:
    async with noughts.connect(server.url) as me:
        room = await me.create(seats={"X": "open", "O": "me"}, public=False)
        async with running(folder, *bot("mine:busy", f"{server.url}/r/{room.id}")) as process:
            assert process.stdout is not None
            while await asyncio.wait_for(process.stdout.readline(), 30) != b"busy\n":
                pass
            ended = asyncio.create_task(process.wait())
            for _ in range(2):  # two that come at once may be one
                process.send_signal(signal.SIGINT)
                await asyncio.wait({ended}, timeout=1)
            assert await asyncio.wait_for(ended, 30) == 130
