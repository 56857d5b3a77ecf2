"""What is written when, in which order, and to whom no more."""

from __future__ import annotations

import asyncio

import pytest

from server.live.outbox import LOOK_EVERY, SLICE, Crowd, Outbox, Scheduler, offer
from server.wire.frames import text_frame
from tests.support.clockwork import VirtualLoop, settle
from tests.support.outboxes import connected, new_scheduler, tick
from tests.support.people import ADA, CY
from tests.support.wire import Wire

ANSWER, STATE, NEWER = (text_frame(b'{"type":"%s"}' % name) for name in (b"a", b"s", b"n"))


def size_of(number: int) -> bytes:
    return text_frame(b'{"type":"%s"}' % (b"x" * number))


async def ticks(number: int = 9) -> None:
    for _ in range(number):
        await tick()


def gathered(number: int, scheduler: Scheduler, about: str = "room") -> tuple[Crowd, list[Wire]]:
    crowd, wires = Crowd(about), []
    for _ in range(number):
        outbox, wire = connected(CY, scheduler)
        crowd.add(outbox)
        wires.append(wire)
    return crowd, wires


def served(wires: list[Wire]) -> int:
    return sum(bool(wire.written) for wire in wires)


# -------------------------------------------------------------------------------------- one peer


async def test_an_answer_and_the_state_behind_it_are_one_write() -> None:
    outbox, wire = connected(ADA)

    offer("room", STATE, [outbox])
    outbox.send(ANSWER)
    await tick()

    assert wire.written == [ANSWER + STATE]


async def test_of_two_states_in_one_tick_only_the_newer_is_written() -> None:
    outbox, wire = connected(ADA)

    offer("room", STATE, [outbox])
    offer("room", NEWER, [outbox])
    await tick()

    assert wire.written == [NEWER]


async def test_answers_of_one_tick_are_one_write() -> None:
    outbox, wire = connected(ADA)

    outbox.send(ANSWER)
    outbox.send(STATE)
    assert wire.written == []
    await tick()

    assert wire.written == [ANSWER + STATE]


async def test_nothing_follows_the_last_frame() -> None:
    outbox, wire = connected(ADA)
    offer("room", STATE, [outbox])
    outbox.send(ANSWER)

    outbox.finish(b"\x88\x00")
    offer("room", NEWER, [outbox])
    outbox.send(ANSWER)
    offer("room", NEWER, [outbox])
    outbox.finish(b"\x88\x00")
    outbox.pause()
    outbox.resume()
    await ticks()

    assert wire.written == [ANSWER + STATE + b"\x88\x00"]


async def test_nothing_is_written_after_an_abort() -> None:
    outbox, wire = connected(ADA)
    offer("room", STATE, [outbox])

    outbox.abort()
    outbox.send(ANSWER)
    offer("room", NEWER, [outbox])
    outbox.finish(b"\x88\x00")
    await ticks()

    assert wire.written == []
    assert wire.aborted


# ---------------------------------------------------------------------------------- a peer behind


async def test_a_peer_that_is_behind_gets_only_the_newest_state_of_each_room() -> None:
    outbox, wire = connected(ADA, behind=100)
    wire.stalled = True
    offer("room", size_of(200), [outbox])
    await tick()
    assert outbox.is_behind

    offer("room", STATE, [outbox])
    offer("other", STATE, [outbox])
    outbox.send(ANSWER)
    offer("room", NEWER, [outbox])
    await tick()
    assert len(wire.written) == 1
    wire.catch_up()

    assert not outbox.is_behind
    assert wire.written[1:] == [ANSWER + NEWER + STATE]


async def test_a_peer_that_is_behind_gets_all_of_it_before_the_last_frame() -> None:
    outbox, wire = connected(ADA, behind=100)
    wire.stalled = True
    offer("room", size_of(200), [outbox])
    await tick()
    outbox.send(ANSWER)

    outbox.finish(b"\x88\x00")
    wire.catch_up()

    assert wire.written[1:] == [ANSWER + b"\x88\x00"]


async def test_a_peer_without_progress_is_aborted() -> None:
    outbox, wire = connected(ADA, new_scheduler(patience=2 * LOOK_EVERY), behind=100)
    wire.stalled = True
    offer("room", size_of(200), [outbox])
    await tick()

    await asyncio.sleep(1.5 * LOOK_EVERY)
    assert not wire.aborted
    async with asyncio.timeout(10):
        while not wire.aborted:
            await asyncio.sleep(0.02)

    offer("room", STATE, [outbox])
    outbox.send(ANSWER)
    await ticks()
    assert len(wire.written) == 1


async def test_a_peer_does_not_answer_for_the_time_in_which_our_own_loop_stood_still() -> None:
    outbox, wire = connected(ADA, new_scheduler(patience=10.0), behind=100)
    wire.stalled = True
    offer("room", size_of(200), [outbox])
    await tick()
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)

    loop.advance(60.0)
    await settle()
    await asyncio.sleep(10.0 - 3 * LOOK_EVERY)
    assert not wire.aborted
    await asyncio.sleep(3 * LOOK_EVERY)
    assert wire.aborted


async def test_a_peer_that_reads_slowly_but_reads_is_kept() -> None:
    outbox, wire = connected(ADA, new_scheduler(patience=1.5 * LOOK_EVERY), behind=100)
    wire.stalled = True
    offer("room", size_of(5_000), [outbox])
    await tick()

    for _ in range(25):
        wire.held -= 100
        await asyncio.sleep(LOOK_EVERY / 5)

    assert not wire.aborted


async def test_to_catch_up_now_and_then_is_progress() -> None:
    outbox, wire = connected(ADA, new_scheduler(patience=2 * LOOK_EVERY), behind=100)

    for _ in range(4):
        wire.stalled = True
        offer("room", size_of(200), [outbox])
        await asyncio.sleep(LOOK_EVERY)
        wire.catch_up()
    await asyncio.sleep(4 * LOOK_EVERY)

    assert not wire.aborted


async def test_a_peer_that_is_behind_and_asks_on_is_aborted_before_its_answers_pile_up() -> None:
    outbox, wire = connected(ADA, behind=100)
    wire.stalled = True
    offer("room", size_of(200), [outbox])
    await tick()

    for _ in range(64):
        outbox.send(ANSWER)
    assert not wire.aborted
    outbox.send(ANSWER)

    assert wire.aborted


# ----------------------------------------------------------------------------------- many of them


async def test_many_outboxes_are_flushed_in_slices_and_others_get_their_turn() -> None:
    scheduler, wires = new_scheduler(), []
    for _ in range(600):
        outbox, wire = connected(ADA, scheduler)
        offer("room", STATE, [outbox])
        wires.append(wire)

    counts = []
    for _ in range(3):
        await tick()
        counts.append(served(wires))

    assert counts == [250, 500, 600]


async def test_a_crowd_is_written_to_in_slices_behind_those_who_are_due() -> None:
    scheduler = new_scheduler()
    crowd, wires = gathered(600, scheduler)
    player, wire = connected(ADA, scheduler)

    crowd.show(STATE)
    counts = []
    for _ in range(3):
        player.send(ANSWER)
        await tick()
        counts.append((len(wire.written), served(wires)))

    assert counts == [(1, 250), (2, 500), (3, 600)]


async def test_those_who_missed_a_frame_are_the_first_to_get_the_next() -> None:
    crowd, wires = gathered(600, new_scheduler())

    crowd.show(STATE)
    await tick()
    crowd.show(NEWER)
    await tick()
    assert [wire.written for wire in wires[249:251]] == [[STATE], [NEWER]]
    await ticks()

    assert [wire.written for wire in wires] == [[STATE, NEWER]] * 250 + [[NEWER]] * 350


async def test_many_crowds_take_turns() -> None:
    scheduler = new_scheduler()
    large, many = gathered(600, scheduler)
    other, as_many = gathered(600, scheduler, "other")
    small, few = gathered(2, scheduler, "small")
    for crowd in (large, other, small):
        crowd.show(STATE)

    counts = []
    for _ in range(5):
        await tick()
        counts.append((served(many), served(as_many), served(few)))

    assert counts == [(250, 0, 0), (250, 250, 0), (498, 250, 2), (498, 500, 2), (600, 600, 2)]


async def test_who_leaves_or_comes_while_a_crowd_is_served_is_not_served() -> None:
    scheduler = new_scheduler()
    crowd, wires = gathered(400, scheduler)
    *_, leaving = crowd
    early, first = connected(CY, scheduler)
    late, second = connected(CY, scheduler)

    crowd.show(STATE)
    crowd.add(early)
    await tick()
    crowd.remove(leaving)
    crowd.add(late)
    await ticks()
    assert [served(wires), served([first, second])] == [399, 0]
    crowd.show(NEWER)
    await ticks()

    assert (wires[-1].written, first.written, second.written) == ([], [NEWER], [NEWER])


async def test_one_of_a_crowd_who_is_due_gets_all_in_one_write() -> None:
    scheduler = new_scheduler()
    others = [connected(ADA, scheduler)[0] for _ in range(SLICE)]
    crowd, wires = gathered(2, scheduler)
    due, _ = crowd

    for outbox in (*others, due):  # so that its turn comes behind that of the crowd
        outbox.send(ANSWER)
    crowd.show(STATE)
    await ticks()

    assert [wire.written for wire in wires] == [[ANSWER + STATE], [STATE]]


async def test_one_of_a_crowd_who_is_behind_gets_only_the_newest() -> None:
    crowd = Crowd("room")
    (behind, slow), (reading, quick) = connected(CY, behind=10), connected(CY)
    for outbox in (behind, reading):
        crowd.add(outbox)
    slow.stalled = True

    for frame in (size_of(9), STATE, NEWER):
        crowd.show(frame)
        await ticks()
    slow.catch_up()

    assert quick.written == [size_of(9), STATE, NEWER]
    assert slow.written == [size_of(9), NEWER]


class Broken(Wire):
    def write(self, data: object) -> None:
        raise ZeroDivisionError


async def test_one_fault_while_a_crowd_is_served_makes_nobody_else_deaf(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scheduler = new_scheduler()
    crowd, wires = gathered(300, scheduler)
    broken = Broken()
    crowd.add(Outbox(broken, scheduler))
    other, more = gathered(300, scheduler, "other")
    for outbox in other:
        crowd.add(outbox)

    for frame in (STATE, NEWER):
        crowd.show(frame)
        await ticks()

    assert [wire.written for wire in (*wires, *more)] == [[STATE, NEWER]] * 600
    assert broken.aborted
    assert len(caplog.records) == 1


async def test_one_fault_while_outboxes_are_flushed_makes_nobody_else_deaf() -> None:
    scheduler = new_scheduler()
    (first, one), (second, two) = connected(ADA, scheduler), connected(ADA, scheduler)
    broken = Outbox(Broken(), scheduler)

    for frame in (STATE, NEWER):
        for outbox in (first, broken, second):
            offer("room", frame, [outbox])
        await ticks()

    assert one.written == two.written == [STATE, NEWER]


async def test_a_fault_of_a_whole_turn_does_not_stop_the_scheduler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    scheduler = new_scheduler()
    crowd, wires = gathered(2 * SLICE, scheduler)

    with monkeypatch.context() as patch:
        patch.setattr(Crowd, "serve", lambda *_: 1 / 0)
        crowd.show(STATE)
        await ticks()
    crowd.show(NEWER)
    await ticks()

    assert len(faults) == 1
    assert [wire.written for wire in wires] == [[NEWER]] * 2 * SLICE


async def test_an_outbox_that_cannot_even_be_aborted_makes_nobody_else_deaf() -> None:
    scheduler = new_scheduler()
    (first, broken), (second, wire) = connected(ADA, scheduler), connected(CY, scheduler)
    broken.write = broken.abort = lambda *_: 1 // 0  # type: ignore[method-assign, assignment]

    for outbox in (first, second):
        outbox.send(STATE)
    await tick()
    second.send(NEWER)
    await tick()

    assert wire.written == [STATE, NEWER]


async def test_a_finished_outbox_keeps_nothing() -> None:
    outbox, _ = connected(ADA)
    outbox.stop()

    for _ in range(200):
        outbox.send(STATE)

    assert outbox._queue == []
