"""Every program in README.md, docs/bots.md and examples/ does what is said there."""

from __future__ import annotations

import asyncio
import random
import socket
import sys
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path

import pytest
import pytest_asyncio

import noughts
from tests.docs.bots.programs import ADDRESS, HANG, bot, oppose, programs, run, running
from tests.support.serving import ROOT, Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

VARIANTS = ["3x3", "reverse", "vanishing", "5x5", "drop", "ultimate"]
JAVASCRIPT = str(ROOT / "examples" / "bot.mjs")
WEB_SOCKET = "--experimental-websocket"  # Node 22 has it without


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with serving(tmp_path_factory.mktemp("bots"), "--no-limits") as served:
        yield served


async def test_the_bot_in_the_readme_survives_a_killed_server(tmp_path: Path) -> None:
    (program,) = programs("README.md")
    assert len([line for line in program.splitlines() if line.strip()]) <= 25
    store = f"sqlite:{tmp_path / 'rooms.db'}"
    async with serving(tmp_path, "--no-limits", store=store) as first:
        program = program.replace(ADDRESS, first.url)
        async with (
            running(tmp_path, sys.executable, "-c", program) as process,
            noughts.connect(first.url, name="Person") as me,
        ):
            room = await me.create()
            assert await play_until(room, games=1)
            await first.kill()
            async with serving(tmp_path, "--no-limits", store=store, port=first.port):
                assert await play_until(room, games=3)
                assert process.returncode is None
    assert (tmp_path / "rando.token").exists()


async def play_until(room: noughts.Room, games: int) -> bool:
    async with asyncio.timeout(60):
        async for state in room.states():
            if state.status == "over" and state.game == games:
                return True
            if state.status == "over":
                await room.rematch()
            elif room.my_turn:
                await room.play(random.choice(state.choices))
    return False


async def test_every_program_on_the_page_runs(server: Served, tmp_path: Path) -> None:
    shown = [program.replace(ADDRESS, server.url) for program in programs("docs/bots.md")]
    commands = [(sys.executable, "-c", program) for program in shown]
    *others, meeting = commands
    ends = await asyncio.gather(*(run(tmp_path, *it) for it in [*others, meeting, meeting]))

    assert len(shown) == 5
    assert [(code, err) for code, _, err in ends] == [(0, "")] * 6
    printed = [out for _, out, _ in ends]
    assert "has won" in printed[0]
    assert printed[1] == "cell_taken - That cell is taken. Choose a free one.\n"
    assert {printed[-1], printed[-2]} == {"I play X\n", "I play O\n"}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", ["anywhere", "one_move", "minimax"])
async def test_an_example_plays_every_game(
    server: Served, tmp_path: Path, name: str, variant: str
) -> None:
    choose = import_module(f"examples.{name}").choose
    async with noughts.connect(server.url) as me:
        room = await me.create(variant, seats={"X": "me", "O": "me"}, public=False)
        async for state in room.states():
            if state.status == "over":
                break
            await room.play(choose(state))


async def test_minimax_never_loses_as_a_bot(server: Served, tmp_path: Path) -> None:
    command = bot(str(ROOT / "examples/minimax.py:choose"), server.url, "--games", "4")
    playing = asyncio.create_task(oppose(server.url, 4))
    code, out, err = await run(tmp_path, *command)

    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 5
    assert "won" not in await playing


async def test_looking_one_move_ahead_wins_and_blocks(server: Served) -> None:
    choose = import_module("examples.one_move").choose
    for variant, moves, best in [
        ("3x3", [0, 3, 1, 4], {2}),
        ("3x3", [0, 3, 1], {2}),
        ("drop", [35, 36, 28, 37, 21], {14}),
        ("reverse", [0, 3, 1, 4], {5, 6, 7, 8}),
    ]:
        async with noughts.connect(server.url) as me:
            room = await me.create(variant, seats={"X": "me", "O": "me"}, moves=moves)
            assert choose(room.state) in best


async def test_the_bot_in_javascript_plays(server: Served, tmp_path: Path) -> None:
    async with running(tmp_path, "node", WEB_SOCKET, JAVASCRIPT, server.url):
        assert len(await oppose(server.url, 3, "drop")) == 3


async def test_the_bot_in_javascript_waits_for_a_server_and_says_where_it_sits(
    tmp_path: Path,
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    async with running(tmp_path, "node", WEB_SOCKET, JAVASCRIPT, url) as process:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), HANG)
        assert line.startswith(b"No connection to ")
        async with serving(tmp_path, "--no-limits", port=port):
            playing = asyncio.create_task(oppose(url, 1))
            while not line.startswith(f"O in {url}/r/".encode()):
                line = await asyncio.wait_for(process.stdout.readline(), HANG)
                assert line, "it has ended"
            assert len(await asyncio.wait_for(playing, HANG)) == 1


async def test_the_bot_in_javascript_says_what_to_do_without_web_socket(tmp_path: Path) -> None:
    code, _, err = await run(tmp_path, "node", "--no-experimental-websocket", JAVASCRIPT)

    assert code == 1
    assert "Node 22" in err
    assert "--experimental-websocket" in err
