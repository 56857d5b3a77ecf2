"""The timer of a clock, on virtual time: when it submits, and that it does not give up."""

from __future__ import annotations

import asyncio

import pytest

from server.core.commands import Command, Expire, Reason
from server.live.draft import ACCEPTED, Answer, Fault, Refusal, Reply
from server.live.flag import RETRY_AFTER, Flag

A_MOMENT = 0.001


class Clocked:
    """A flag whose submissions are answered with the next of `answers`, else as accepted."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.submitted: list[float] = []
        self.loop = asyncio.get_running_loop()
        self.deadline = 1_000
        self.slow = 0  # ms by which the server's clock is behind the event loop's
        self.held = 0  # ms
        self.flag = Flag(self.submit, self.now, lambda: self.held)

    def now(self) -> int:
        return round(self.loop.time() * 1000) - self.slow

    def submit(self, command: Command, reply: Reply) -> None:
        assert command == Expire()
        self.submitted.append(self.loop.time())
        answer = self.answers.pop(0) if self.answers else ACCEPTED
        if answer == ACCEPTED and self.now() >= self.deadline:
            self.flag.arm(None)  # as a host does when the game is over
        reply(answer)


async def test_it_submits_once_at_the_deadline() -> None:
    clocked = Clocked()
    clocked.flag.arm(1_000)

    await asyncio.sleep(1.0 - A_MOMENT)
    assert clocked.submitted == []
    await asyncio.sleep(10.0)

    assert clocked.submitted == [1.0]


async def test_a_flag_that_is_held_submits_so_much_later() -> None:
    clocked = Clocked()
    clocked.held = 400
    clocked.flag.arm(1_000)

    await asyncio.sleep(10.0)

    assert clocked.submitted == [1.4]


async def test_a_new_deadline_replaces_the_last_one() -> None:
    clocked = Clocked()
    clocked.flag.arm(500)
    clocked.flag.arm(1_000)

    await asyncio.sleep(10.0)

    assert clocked.submitted == [1.0]


async def test_it_submits_nothing_while_the_clock_stands() -> None:
    clocked = Clocked()
    clocked.flag.arm(1_000)
    clocked.flag.arm(None)

    await asyncio.sleep(10.0)

    assert clocked.submitted == []


async def test_a_deadline_in_the_past_is_submitted_at_once() -> None:
    clocked = Clocked()
    clocked.deadline = -5_000
    clocked.flag.arm(clocked.deadline)

    await asyncio.sleep(A_MOMENT)

    assert len(clocked.submitted) == 1


async def test_a_timer_that_was_early_waits_on() -> None:
    clocked = Clocked()
    clocked.flag.arm(1_000)
    clocked.slow = 300

    await asyncio.sleep(10.0)

    assert clocked.submitted == pytest.approx([1.0, 1.3])


@pytest.mark.parametrize("answer", [Refusal(Reason.RETRY), Fault(OSError("full"))])
async def test_it_tries_again_until_the_store_can_write(
    answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    clocked = Clocked(answer, answer)
    clocked.flag.arm(1_000)

    await asyncio.sleep(10.0)

    assert clocked.submitted == pytest.approx([1.0, 1.0 + RETRY_AFTER, 1.0 + 2 * RETRY_AFTER])
    assert ("our fault" in caplog.text) == isinstance(answer, Fault)


async def test_a_deadline_that_comes_during_a_retry_leaves_one_timer() -> None:
    clocked = Clocked(Refusal(Reason.RETRY))
    clocked.flag.arm(1_000)
    await asyncio.sleep(1.0 + A_MOMENT)  # refused: it would try again in a second

    clocked.flag.arm(5_000)
    clocked.flag.arm(None)
    await asyncio.sleep(10.0)

    assert clocked.submitted == [1.0]


@pytest.mark.parametrize("answer", [ACCEPTED, Refusal(Reason.RETRY)])
async def test_a_flag_whose_clock_stopped_while_it_was_submitted_rests(answer: Answer) -> None:
    waiting: list[Reply] = []
    flag = Flag(lambda command, reply: waiting.append(reply), lambda: 1_000, lambda: 0)
    flag.arm(1_000)
    await asyncio.sleep(A_MOMENT)

    flag.arm(None)
    for reply in waiting:
        reply(answer)
    await asyncio.sleep(10.0)

    assert len(waiting) == 1
