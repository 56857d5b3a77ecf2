"""The AI as a player: when it moves, when it does not, and that the same seed repeats its moves."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import pytest

from server.ai.pace import NODES_PER_SECOND, UNHURRIED, Pace
from server.ai.player import RETRY_AFTER, STEP, AIPlayer
from server.ai.pool import SearchPool
from server.core import levels
from server.core.commands import Create, DismissAI, Play, Reason, Refused, SeatAI, Sit
from server.core.events import Event, MovePlayed, Person, TimeControl
from server.core.room import RoomId
from server.core.rules import DROP, ULTIMATE, Ending, Mark, Position, Variant, cells
from server.core.search import NODES
from server.live.host import RoomHost
from server.live.rooms import Rooms
from server.metrics import Metrics
from server.store.memory import MemoryStore
from tests.support.houses import HandClock, new_rooms, open_room
from tests.support.people import ADA

A_MOMENT = 0.001  # seconds; without a pause the AI has moved by then
SHORTEST, LONGEST = 0.6, 1.4  # of the mean pause


class PromptPool(SearchPool):
    """Searches in this process and answers at once."""

    def __init__(self) -> None:
        pass

    def start_workers(self) -> asyncio.Task[object]:
        return asyncio.get_running_loop().create_task(asyncio.sleep(0))

    async def weights(
        self, position: Position, level: str, asker: Hashable = None, pace: Pace = UNHURRIED
    ) -> levels.Weights:
        return levels.weights(position, level)


def with_ai(store: MemoryStore | None = None, pause: int = 0) -> tuple[Rooms, AIPlayer]:
    rooms = new_rooms(store)
    ai = AIPlayer(PromptPool(), Metrics(), now=HandClock(), pause=pause)
    rooms.on_change.append(ai.look)
    return rooms, ai


async def test_the_ai_answers_a_move() -> None:
    rooms, _ = with_ai()
    host = await open_room(rooms, ADA, "perfect")

    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await asyncio.sleep(A_MOMENT)

    assert host.room.turn is Mark.X


async def test_the_ai_begins_when_it_has_x() -> None:
    rooms, _ = with_ai()

    host = await open_room(rooms, "easy", ADA)
    await asyncio.sleep(A_MOMENT)

    assert host.room.turn is Mark.O


async def test_the_ai_takes_over_in_the_middle_of_a_game() -> None:
    rooms, _ = with_ai()
    host = await open_room(rooms, ADA, None)

    await host.submit_and_wait(SeatAI(ADA.id, Mark.O, "hard"))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await asyncio.sleep(A_MOMENT)

    assert len(host.room.moves) == 2


async def test_a_node_that_is_not_the_first_of_a_room_gives_the_first_some_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(RoomHost, "rank", 1)
    rooms, _ = with_ai()
    host = await open_room(rooms, "easy", ADA)

    await asyncio.sleep(STEP - A_MOMENT)
    assert host.room.moves == ()
    await asyncio.sleep(2 * A_MOMENT)
    assert len(host.room.moves) == 1


async def test_no_worker_is_started_for_people() -> None:
    rooms, ai = with_ai()
    started: list[bool] = []
    ai._pool.start_workers = lambda: started.append(True)  # type: ignore[method-assign, assignment, return-value]

    host = await open_room(rooms)
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    assert started == []


async def test_two_ais_play_to_the_end() -> None:
    rooms, ai = with_ai()

    host = await open_room(rooms, "perfect", "perfect")
    await asyncio.sleep(A_MOMENT)

    assert host.room.draws == 1
    assert not ai.is_playing(host.id)


async def test_the_ai_pauses_before_a_move_as_a_person_would() -> None:
    rooms, _ = with_ai(pause=1_000)
    host = await open_room(rooms, ADA, "easy")
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    await asyncio.sleep(SHORTEST - 0.1)
    assert len(host.room.moves) == 1
    await asyncio.sleep(LONGEST - SHORTEST + 0.1)
    assert len(host.room.moves) == 2


class BusyPool(PromptPool):
    """Takes `slowness` times as long as usual to search the nodes that the pace allows."""

    slowness = 4

    async def weights(
        self, position: Position, level: str, asker: Hashable = None, pace: Pace = UNHURRIED
    ) -> levels.Weights:
        seconds = self.slowness * pace.fewer(NODES) / NODES_PER_SECOND
        await asyncio.sleep(min(pace.within, seconds))
        return levels.casual(position)


@pytest.mark.parametrize("budget", [5_000, 10_000, 30_000])
@pytest.mark.parametrize("variant", [DROP, ULTIMATE])
async def test_two_ais_on_a_short_clock_end_their_game_on_the_board(
    variant: Variant, budget: int
) -> None:
    loop = asyncio.get_running_loop()
    rooms = new_rooms(clock=lambda: int(loop.time() * 1000))
    ai = AIPlayer(BusyPool(), Metrics(), now=lambda: int(loop.time() * 1000), pause=500)
    rooms.on_change.append(ai.look)
    create = Create(variant, ("best", "best"), time=TimeControl(budget))

    host, _ = await rooms.open(RoomId("room"), create)
    await asyncio.sleep(3 * budget / 1000)

    assert host.room.outcome is not None
    assert host.room.outcome.by in (Ending.LINE, Ending.FULL)
    assert host.room.clock is not None
    assert min(host.room.clock.budgets) > 500


async def test_the_ai_pauses_less_on_a_short_clock_and_as_usual_before_the_clock_runs() -> None:
    rooms, _ = with_ai(pause=1_000)
    host = await open_room(rooms, "easy", ADA, time=TimeControl(5_000))
    await asyncio.sleep(SHORTEST - 0.1)
    assert len(host.room.moves) == 0
    await asyncio.sleep(LONGEST - SHORTEST + 0.1)
    assert len(host.room.moves) == 1
    free = host.room.position.playable()

    await host.submit_and_wait(Play(ADA.id, next(cells(free)), 1))
    await asyncio.sleep(0.2 + A_MOMENT)

    assert len(host.room.moves) == 3


async def test_an_ai_that_was_dismissed_while_it_paused_does_not_move() -> None:
    rooms, ai = with_ai(pause=1_000)
    host = await open_room(rooms, ADA, "easy")
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await asyncio.sleep(SHORTEST / 2)

    await host.submit_and_wait(DismissAI(ADA.id, Mark.O))
    await asyncio.sleep(LONGEST)

    assert host.room.moves == (4,)
    assert not ai.is_playing(host.id)


async def test_an_ai_of_another_level_chooses_for_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def weights(
        _: PromptPool, position: Position, level: str, asker: Hashable, pace: Pace
    ) -> levels.Weights:
        return {{"easy": 0, "hard": 8}[level]: Fraction(1)}

    monkeypatch.setattr(PromptPool, "weights", weights)
    rooms, _ = with_ai(pause=1_000)
    host = await open_room(rooms, ADA, "easy")
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await asyncio.sleep(SHORTEST / 2)

    await host.submit_and_wait(DismissAI(ADA.id, Mark.O))
    await host.submit_and_wait(SeatAI(ADA.id, Mark.O, "hard"))
    await asyncio.sleep(2 * LONGEST)

    assert host.room.moves == (4, 8)


async def test_a_pause_does_not_start_again_when_something_else_happens_in_the_room() -> None:
    rooms, _ = with_ai(pause=1_000)
    host = await open_room(rooms, ADA, "easy")
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    for number in range(14):
        await host.submit_and_wait(Sit(Person(ADA.id, f"Ada {number}"), Mark.X))
        await asyncio.sleep(LONGEST / 14)

    assert len(host.room.moves) == 2


async def test_an_ai_that_failed_plays_on_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms, ai = with_ai()
    choose, fails = ai._choose, [True]

    async def fail_once(*question: Any) -> int:
        if fails.pop() if fails else False:
            raise OSError("no descriptors left")
        return await choose(*question)

    monkeypatch.setattr(ai, "_choose", fail_once)
    host = await open_room(rooms, "easy", ADA)

    await asyncio.sleep(RETRY_AFTER - A_MOMENT)
    assert len(host.room.moves) == 0
    await asyncio.sleep(2 * A_MOMENT)
    assert len(host.room.moves) == 1


async def test_a_move_that_could_not_be_stored_is_submitted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rooms, _ = with_ai()
    host = await open_room(rooms, ADA, "easy")
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    asked = []

    async def cannot(_: RoomHost, command: Play) -> None:
        asked.append(command)
        raise Refused(Reason.RETRY)

    with monkeypatch.context() as patched:
        patched.setattr(RoomHost, "submit_and_wait", cannot)
        await asyncio.sleep(RETRY_AFTER - A_MOMENT)
    assert (len(asked), len(host.room.moves)) == (1, 1)
    await asyncio.sleep(2 * A_MOMENT)

    assert len(host.room.moves) == 2


async def test_a_refusal_that_would_never_end_is_logged_and_retried_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rooms, ai = with_ai()
    host = await open_room(rooms, ADA, "easy")
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    asked = []

    async def refuse(_: RoomHost, command: Play) -> None:
        asked.append(command)
        raise Refused(Reason.NOT_YOUR_TURN)

    monkeypatch.setattr(RoomHost, "submit_and_wait", refuse)
    await asyncio.sleep(RETRY_AFTER / 2)

    assert len(asked) == 1
    assert ai.is_playing(host.id)  # so the room stays awake
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    await asyncio.sleep(RETRY_AFTER)
    assert len(asked) == 2
    await ai.close()
    await asyncio.sleep(2 * RETRY_AFTER)
    assert len(asked) == 2


async def test_a_move_that_comes_too_late_is_refused_and_the_ai_looks_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rooms, ai = with_ai()
    host = await open_room(rooms, ADA, "easy")
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    submit_and_wait = RoomHost.submit_and_wait

    async def dismiss_first(host: RoomHost, command: Play) -> None:
        await submit_and_wait(host, DismissAI(ADA.id, Mark.O))
        await submit_and_wait(host, command)

    monkeypatch.setattr(RoomHost, "submit_and_wait", dismiss_first)
    await asyncio.sleep(A_MOMENT)

    assert host.room.moves == (4,)
    assert not ai.is_playing(host.id)
    assert caplog.records == []


async def test_closing_stops_every_pause() -> None:
    rooms, ai = with_ai(pause=1_000)
    host = await open_room(rooms, "easy", ADA)
    assert ai.is_playing(host.id)

    await ai.close()
    await asyncio.sleep(LONGEST)

    assert not ai.is_playing(host.id)
    assert host.room.moves == ()


async def test_the_same_room_game_ply_and_level_give_the_same_moves() -> None:
    async def game(id: str) -> list[Event]:
        store = MemoryStore()
        rooms, _ = with_ai(store)
        host = await open_room(rooms, "easy", "medium", id=id)
        await asyncio.sleep(A_MOMENT)
        assert host.room.outcome is not None
        return [e for e in await store.load(RoomId(id)) if isinstance(e, MovePlayed)]

    assert await game("same") == await game("same")
    games = [await game(f"other-{number}") for number in range(5)]
    assert any(game != games[0] for game in games)


async def test_an_ai_that_was_to_move_when_the_server_stopped_moves_after_the_start() -> None:
    store = MemoryStore()
    before = await open_room(new_rooms(store), ADA, "perfect")  # no AI player watches these rooms
    await before.submit_and_wait(Play(ADA.id, 4, 0))

    rooms, _ = with_ai(store)
    host = await rooms.find("room")
    await asyncio.sleep(A_MOMENT)

    assert len(host.room.moves) == 2
