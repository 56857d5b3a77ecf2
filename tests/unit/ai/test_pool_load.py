"""Under load the search thinks less and nobody is crowded out. On virtual time, without workers."""

from __future__ import annotations

import asyncio
from fractions import Fraction
from typing import Any

import pytest

from server.ai import worker
from server.ai.pace import LEAST, Pace
from server.ai.pool import ROUND, SearchPool
from server.core.levels import casual
from server.core.rules import CLASSIC, DROP, Cell, Position
from server.metrics import Metrics
from tests.support.clockwork import settle

OPENINGS = [Position(DROP).play(35 + a).play(28 + a) for a in range(7)]
FULL = 120_000


class Recorded(SearchPool):
    """Answers instead of the workers, one question after the other, and notes what was asked.

    `fails_on`: a position for which the search raises.
    """

    def __init__(
        self, metrics: Metrics, answers: bool = True, fails_on: Position | None = None
    ) -> None:
        super().__init__(metrics, workers=1, jobs=64, nodes=FULL, patience=2)
        self.asked: list[tuple[Position, int]] = []
        self.may_answer = asyncio.Event()
        self._executor.run = self._run  # type: ignore[method-assign, assignment]
        self._answers_given = answers
        self._fails_on = fails_on

    async def _run(self, job: object, *asked: Any, patience: float | None = None) -> object:
        if job is worker.warm_up:
            return 1
        self.asked.append((asked[0], asked[-1]))
        await self.may_answer.wait()
        if asked[0] == self._fails_on:
            raise KeyError(asked[0])
        return {35: Fraction(1)} if self._answers_given else None

    async def ask(self, asker: str, position: Position) -> dict[Cell, Fraction]:
        return await self.weights(position, "best", asker)


async def begin(*questions: Any) -> list[asyncio.Task[Any]]:
    tasks = [asyncio.ensure_future(question) for question in questions]
    await settle()
    return tasks


async def test_a_question_that_waits_for_nobody_gets_all_nodes() -> None:
    metrics = Metrics()
    pool = Recorded(metrics)
    pool.may_answer.set()

    await pool.ask("room", OPENINGS[0])

    assert pool.asked == [(OPENINGS[0], FULL)]
    assert metrics.ai_hurried == 0


async def test_questions_that_queue_share_the_nodes_of_a_round() -> None:
    metrics = Metrics()
    pool = Recorded(metrics)
    first = await begin(pool.ask("first", OPENINGS[0]))
    others = await begin(*(pool.ask(f"room {n}", OPENINGS[n]) for n in range(1, 7)))
    pool.may_answer.set()
    await asyncio.gather(*first, *others)

    nodes = [nodes for _, nodes in pool.asked]
    assert nodes == [FULL, *(ROUND * FULL // n for n in (6, 5, 4, 3)), FULL, FULL]
    assert metrics.ai_hurried == 4


async def test_where_nodes_take_longer_than_usual_there_are_fewer_to_share() -> None:
    pool = Recorded(Metrics())
    asked = await begin(*(pool.ask(f"room {n}", OPENINGS[n]) for n in range(3)))
    await asyncio.sleep(2.5)  # the first answer takes five times as long as usual
    pool.may_answer.set()
    await asyncio.gather(*asked)

    first, second, third = (nodes for _, nodes in pool.asked)
    assert first == 2 * FULL // 3  # three wait
    assert second < FULL  # two are usually no load
    assert third == FULL  # alone in the queue


async def test_even_in_the_longest_queue_a_question_gets_a_few_nodes() -> None:
    pool = Recorded(Metrics())
    asked = await begin(*(pool.ask(f"room {n}", OPENINGS[1]) for n in range(2_000)))
    pool.may_answer.set()
    await asyncio.gather(*asked)

    assert min(nodes for _, nodes in pool.asked) == LEAST


async def test_an_answer_found_in_a_hurry_is_not_remembered() -> None:
    pool = Recorded(Metrics())
    asked = await begin(*(pool.ask(f"room {n}", OPENINGS[n]) for n in range(7)))
    pool.may_answer.set()
    await asyncio.gather(*asked)
    hurried = [position for position, nodes in pool.asked if nodes < FULL]
    pool.asked.clear()

    for position in OPENINGS:
        await pool.ask("room", position)

    assert pool.asked == [(position, FULL) for position in hurried]


async def test_one_room_with_many_questions_does_not_crowd_out_another() -> None:
    pool = Recorded(Metrics())
    greedy = await begin(*(pool.ask("greedy", position) for position in OPENINGS[:6]))
    modest = await begin(pool.ask("modest", OPENINGS[6]))
    pool.may_answer.set()
    await asyncio.gather(*greedy, *modest)

    positions = [position for position, _ in pool.asked]
    assert positions.index(OPENINGS[6]) == 2
    assert {nodes for _, nodes in pool.asked} == {FULL}  # two rooms are no load


async def test_an_exact_table_is_never_asked_in_a_hurry() -> None:
    metrics = Metrics()
    pool = Recorded(metrics)
    asked = await begin(*(pool.ask(f"room {n}", OPENINGS[n]) for n in range(6)))
    asked += await begin(pool.weights(Position(CLASSIC), "perfect", "classic"))
    pool.may_answer.set()
    await asyncio.gather(*asked)
    before = metrics.ai_hurried

    assert await pool.weights(Position(CLASSIC), "perfect", "classic")
    assert len(pool.asked) == 7
    assert metrics.ai_hurried == before


async def test_a_second_attempt_has_fewer_nodes_and_then_the_ai_plays_casually() -> None:
    metrics = Metrics()
    pool = Recorded(metrics, answers=False)
    pool.may_answer.set()

    assert await pool.ask("room", OPENINGS[0]) == casual(OPENINGS[0])

    assert [nodes for _, nodes in pool.asked] == [FULL, FULL // 8]
    assert metrics.ai_hurried == 1


async def test_a_move_is_made_in_time_even_if_nothing_answers() -> None:
    metrics = Metrics()
    pool = Recorded(metrics)
    begin = asyncio.get_running_loop().time()

    assert await pool.ask("room", OPENINGS[0]) == casual(OPENINGS[0])

    assert asyncio.get_running_loop().time() - begin < 3
    assert (metrics.ai_hurried, metrics.ai_queue) == (1, 0)
    await pool.close()


async def test_casual_levels_need_no_worker() -> None:
    pool = Recorded(Metrics())

    assert await pool.weights(Position(DROP), "medium") == casual(Position(DROP))
    assert pool.asked == []


async def test_a_pool_that_closes_leaves_no_question_waiting() -> None:
    pool = Recorded(Metrics())
    asked = await begin(*(pool.ask("room", position) for position in OPENINGS))
    now = asyncio.get_running_loop().time()

    await pool.close()

    assert await asyncio.gather(*asked) == [casual(position) for position in OPENINGS]
    assert asyncio.get_running_loop().time() == now


async def test_on_a_short_clock_a_question_has_fewer_nodes_and_an_answer_of_its_own() -> None:
    metrics = Metrics()
    pool, hurried = Recorded(metrics), Pace(seconds=0.2, within=0.5)
    pool.may_answer.set()

    for pace in (hurried, hurried, Pace(seconds=0, within=0.1)):
        await pool.weights(OPENINGS[0], "best", "room", pace)
    await pool.ask("room", OPENINGS[0])

    assert [nodes for _, nodes in pool.asked] == [FULL // 4, FULL // 128, FULL]
    assert metrics.ai_hurried == 0


async def test_on_a_short_clock_the_ai_plays_casually_before_its_flag_falls() -> None:
    loop = asyncio.get_running_loop()
    pool = Recorded(Metrics())

    begin = loop.time()
    found = await pool.weights(OPENINGS[0], "best", "room", Pace(seconds=0.2, within=0.5))

    assert loop.time() - begin == 0.5
    assert found == casual(OPENINGS[0])


async def test_a_search_that_raises_is_logged_and_the_next_question_is_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool = Recorded(Metrics(), fails_on=OPENINGS[0])
    asked = await begin(*(pool.ask(f"room {n}", OPENINGS[n]) for n in range(3)))
    now = asyncio.get_running_loop().time()
    pool.may_answer.set()

    first, *others = await asyncio.gather(*asked)

    assert first == casual(OPENINGS[0])
    assert others == [{35: Fraction(1)}] * 2
    assert asyncio.get_running_loop().time() == now
    assert "our fault" in caplog.text
