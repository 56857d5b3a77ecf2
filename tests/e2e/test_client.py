"""`noughts.connect` and `noughts.connect_sync` on a real server."""

from __future__ import annotations

import asyncio
import random
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

import noughts
from noughts.client import Connection
from noughts.messages import Frame, Refused, Said
from tests.support.serving import ROOT, Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session", name="me")
async def _me(server: Served) -> AsyncIterator[Connection]:
    async with noughts.connect(server.url, name="Mia") as me:
        yield me


@pytest_asyncio.fixture(loop_scope="session", name="other")
async def _other(server: Served) -> AsyncIterator[Connection]:
    async with noughts.connect(server.url, name="Otto") as other:
        yield other


async def play_to_the_end(room: noughts.Room) -> noughts.State:
    async for state in room.states():
        if room.my_turn:
            await room.play(random.choice(state.choices))
        elif state.status == "over":
            return state
    raise AssertionError("the room has ended")


@pytest.mark.parametrize("variant", ["3x3", "reverse", "vanishing", "5x5", "drop", "ultimate"])
async def test_two_programs_play_any_game_to_its_end(
    me: Connection, other: Connection, variant: str
) -> None:
    mine = await me.create(variant, public=False)
    theirs = await other.sit(mine.id)

    ends = await asyncio.gather(play_to_the_end(mine), play_to_the_end(theirs))

    assert ends[0] == ends[1]
    assert mine.state.choices == []


async def test_a_method_returns_once_the_state_shows_what_it_has_done(me: Connection) -> None:
    room = await me.create(seats={"X": "me", "O": {"me": "Max"}}, public=False)
    assert (room.marks, room.seat, room.my_turn) == (("X", "O"), "X", True)
    for ply, cell in enumerate([0, 3, 1, 4, 2]):
        await room.play(cell)
        assert len(room.state.moves) == ply + 1
    assert not room.my_turn
    await room.rematch()
    assert room.state.game == 2
    await room.resign()
    assert room.state.status == "over"
    await room.leave()
    assert room.state.seats.open == ["X", "O"]
    assert room.marks == ()
    assert room.seat is None
    await room.seat_ai("X", "easy")
    assert room.state.seats.open == ["O"]
    await room.dismiss_ai("X")
    assert room.state.seats.open == ["X", "O"]


async def test_a_refusal_is_an_exception_with_reason_and_sentence(me: Connection) -> None:
    room = await me.create(seats={"X": "me", "O": "me"}, moves=[4], public=False)
    for refused, doing in {
        "cell_taken": room.play(4),
        "no_such_cell": room.play(99),
        "too_early": room.claim(),
        "no_such_phrase": room.say("boo"),
        "game_not_over": room.rematch(),
        "no_such_game": room.analyse(game=9),
        "no_such_room": me.watch("nowhere"),
        "no_such_variant": me.create("chess"),
    }.items():
        with pytest.raises(noughts.Refused) as problem:
            await doing
        assert problem.value.reason == refused
        assert str(problem.value) == problem.value.text != ""


async def test_a_move_chosen_in_an_earlier_state_is_stale(me: Connection) -> None:
    room = await me.create(seats={"X": "me", "O": "me"}, public=False)
    before = room.state
    await room.play(0)

    with pytest.raises(noughts.Refused, match=r".") as refused:
        await room.play(1, state=before)
    assert refused.value.reason == "stale"


@pytest.mark.parametrize(
    "bad",
    [{"seats": {"X": "me"}}, {"clock": {"budget": 1}}, {"seats": {"X": "you", "O": "me"}}],
)
async def test_a_room_that_cannot_be_gets_a_sentence(
    me: Connection, bad: dict[str, object]
) -> None:
    with pytest.raises(ValueError, match="There can be no such room: "):
        await me.create(**bad)  # type: ignore[arg-type]


async def test_without_a_seat_named_mine_is_found_again_or_a_free_one_taken(
    server: Served, me: Connection, other: Connection
) -> None:
    room = await me.create(public=False)

    assert await me.sit(room.id) is room
    assert room.marks == ("X",)
    assert (await other.sit(f"{server.url}/r/{room.id}")).marks == ("O",)
    async with noughts.connect(server.url) as third:
        with pytest.raises(noughts.Refused) as refused:
            await third.sit(room.id)
    assert refused.value.reason == "seat_taken"


async def test_a_slow_reader_gets_the_newest_state_only(me: Connection) -> None:
    room = await me.create(seats={"X": "me", "O": "me"}, public=False)
    states = aiter(room.states())
    await anext(states)
    for cell in (0, 1, 2):
        await room.play(cell)

    assert (await anext(states)).moves == [0, 1, 2]


async def test_states_end_when_the_room_is_not_followed_any_more(me: Connection) -> None:
    room = await me.create(public=False)
    await room.unwatch()

    assert [state.seq async for state in room.states()] == [room.state.seq]
    assert (await me.watch(room.id)).state == room.state


async def test_the_lobby_is_a_list_that_changes(me: Connection, other: Connection) -> None:
    room = await me.create()
    listed = False
    async for rooms in other.lobby():
        here = [each for each in rooms if each.room == room.id]
        if not listed and here:
            listed = True
            assert here[0].seats.open == ["O"]
            await other.sit(room.id)
        elif here and not here[0].seats.open:
            break


async def test_quick_play_brings_two_together(me: Connection, other: Connection) -> None:
    mine, theirs = await asyncio.gather(me.quick("drop"), other.quick("drop"))

    assert mine.id == theirs.id
    assert mine.state.variant.name == "drop"
    assert {mine.seat, theirs.seat} == {"X", "O"}


async def test_a_search_that_is_given_up_leaves_nobody_waiting(
    server: Served, me: Connection, other: Connection
) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await me.quick("5x5")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await other.quick("5x5")


async def test_what_people_say_comes_to_on_frame(server: Served, me: Connection) -> None:
    heard: asyncio.Queue[Frame] = asyncio.Queue()
    async with noughts.connect(server.url, on_frame=heard.put_nowait) as listener:
        room = await me.create(public=False)
        await listener.watch(room.id)
        await room.say("hello")
        while not isinstance(frame := await asyncio.wait_for(heard.get(), 15), Said):
            pass

    assert frame.phrase == "hello"


async def test_a_program_that_starts_again_is_the_same_player(
    server: Served, tmp_path: Path
) -> None:
    file = tmp_path / "tokens" / "mia"
    async with noughts.connect(server.url, name="Mia", token_file=file) as first:
        room = await first.create(seats={"X": "me", "O": "me"}, public=False)
        async with noughts.connect(server.url, name="Mia", token_file=str(file)) as second:
            again = await second.sit(room.id)
            await again.play(4)
            async for state in room.states():  # both are live
                if state.moves:
                    break
        await room.play(0)

    assert first.player == second.player
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_a_limited_server_is_never_asked_too_fast(server: Served, tmp_path: Path) -> None:
    refused = []

    def note(frame: Frame) -> None:
        if isinstance(frame, Refused):
            refused.append(frame.reason)

    async with (
        serving(tmp_path) as limited,
        noughts.connect(limited.url, on_frame=note) as me,
    ):
        room = await me.create(seats={"X": "me", "O": "me"})
        await asyncio.gather(*(room.say("hello") for _ in range(40)))

    assert refused == []


def play_without_async(url: str) -> None:
    with noughts.connect_sync(url, name="Syn") as me:
        room = me.create(seats={"X": "me", "O": {"ai": "gentle"}}, public=False)
        for state in room.states():
            if room.my_turn:
                room.play(state.choices[0])
            elif state.status == "over":
                break
        room.rematch()
        assert room.state.game == 2
        assert room.id not in [listed.room for listed in next(iter(me.lobby()))]
        assert me.watch(room.id).state.game == 2
        with pytest.raises(noughts.Refused, match="phrase"):
            room.say("boo")
    with pytest.raises(RuntimeError, match="`with` block"):
        room.resign()


async def test_the_face_without_async_plays_a_game(server: Served) -> None:
    await asyncio.to_thread(play_without_async, server.url)


async def test_it_needs_only_msgspec_and_websockets(server: Served) -> None:
    others = {"aiohttp", "nats", "prometheus_client", "segno", "uvloop", "server"}
    program = f"""
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {others}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
import noughts, noughts.bot
with noughts.connect_sync({server.url!r}) as me:
    room = me.create(seats={{"X": "me", "O": "me"}}, public=False)
    room.play(4)
    print(room.state.moves)
"""
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )

    assert done.stdout == "[4]\n", done.stderr
