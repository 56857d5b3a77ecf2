"""Commands in one room: the draft they share, the queue they wait in, and their answers."""

from __future__ import annotations

import asyncio

from server.core.commands import (
    Leave,
    Play,
    Reason,
    Rematch,
    Resign,
    SeatAI,
    Sit,
)
from server.core.events import Person, TimeControl
from server.core.evolve import replay
from server.core.rules import Ending, Mark
from server.live.draft import ACCEPTED, Answer, Refusal
from server.live.host import DRAFT_LIMIT
from tests.support.clockwork import settle
from tests.support.houses import HandClock, gated_room, new_rooms, open_room, submit
from tests.support.outboxes import connected, tick
from tests.support.people import ADA, BO, CY
from tests.support.stores import Gated

STALE = Refusal(Reason.STALE)


async def test_nothing_is_answered_or_shown_before_it_is_durable() -> None:
    store, host = await gated_room()
    bo, wire = connected(BO)
    host.audience.add(bo)

    move = asyncio.create_task(host.submit_and_wait(Play(ADA.id, 4, 0)))
    await settle()
    assert (move.done(), wire.of_type("state"), host.room.moves) == (False, [], ())
    store.open_gate()
    await move
    await tick()

    assert host.room.seq == 4
    assert [state["moves"] for state in wire.of_type("state")] == [[4]]


async def test_commands_are_carried_out_one_at_a_time() -> None:
    host = await open_room(new_rooms())

    answers = submit(host, *(Play(ADA.id, cell, 0) for cell in range(9)))

    assert answers == [ACCEPTED] + [STALE] * 8
    assert host.room.moves == (0,)


async def test_commands_that_come_before_the_store_takes_the_draft_share_one_append() -> None:
    store, host = await gated_room()
    bo, wire = connected(BO)
    host.audience.add(bo)
    before = store.appends

    answers = submit(host, Play(ADA.id, 4, 0), Play(BO.id, 0, 1), Play(ADA.id, 8, 2))
    await settle()
    assert answers == []
    store.open_gate()
    await settle()
    assert answers == [ACCEPTED, ACCEPTED, ACCEPTED]

    assert store.appends == before + 1
    assert [state["moves"] for state in wire.of_type("state")] == [[4, 0, 8]]
    assert host.room == replay(await store.load(host.id))


async def test_a_command_that_comes_after_the_store_has_taken_the_draft_waits() -> None:
    store, host = await gated_room(takes_early=True)
    before = store.appends

    first = submit(host, Play(ADA.id, 4, 0))
    second = submit(host, Play(BO.id, 0, 1))
    await settle()
    assert store.appends == before + 1
    store.open_gate()
    await settle()

    assert (first, second) == ([ACCEPTED], [ACCEPTED])
    assert store.appends == before + 2
    assert host.room == replay(await store.load(host.id))


async def test_absence_is_looked_up_only_once_it_is_durable_who_holds_the_seat() -> None:
    store, clock = Gated(), HandClock()
    host = await open_room(new_rooms(store, clock))
    clock.now += 60_000  # Bo was never here
    store.is_gated = True

    def follow(_: object) -> None:
        host.audience.add(connected(CY)[0])

    submit(host, Leave(BO.id, Mark.O))
    host.submit(Sit(CY, Mark.O), follow)
    cover = submit(host, SeatAI(ADA.id, Mark.O, "hard"))
    store.open_gate()
    await settle()

    assert cover == [Refusal(Reason.SEAT_TAKEN)]
    assert host.room.seats[Mark.O] == CY


async def test_a_fallen_flag_and_the_command_after_it_share_one_append() -> None:
    store, clock = Gated(), HandClock()
    host = await open_room(new_rooms(store, clock), time=TimeControl(5_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    clock.now += 5_000
    before = store.appends

    await host.submit_and_wait(Rematch(ADA.id))

    assert store.appends == before + 1
    assert host.room.outcome is not None
    assert (host.room.outcome.by, *host.room.rematch_asked) == (Ending.TIME, Mark.X)


async def test_a_draft_takes_a_few_commands_and_no_more() -> None:
    store, host = await gated_room()
    before = store.appends
    names = [Person(ADA.id, f"Ada {number}") for number in range(2 * DRAFT_LIMIT + 1)]
    answers = submit(host, *(Sit(name, Mark.X) for name in names))
    for _ in range(3):
        store.release()

    assert answers == [ACCEPTED] * len(names)
    assert store.appends == before + 3
    assert host.room.seats[Mark.X] == names[-1]


async def test_a_command_submitted_by_a_reply_waits_behind_the_queue() -> None:
    store, host = await gated_room(takes_early=True)
    answered: list[str] = []

    def ask_again(_: object) -> None:
        answered.append("second")
        host.submit(Play(BO.id, 1, 3), lambda answer: answered.append(f"again {answer}"))

    host.submit(Play(ADA.id, 4, 0), lambda answer: answered.append("first"))
    host.submit(Play(BO.id, 0, 1), ask_again)
    host.submit(Play(ADA.id, 8, 2), lambda answer: answered.append("third"))
    store.open_gate()
    await settle()

    assert answered == ["first", "second", "third", "again Accepted()"]


async def test_a_command_submitted_by_a_reply_waits_until_the_whole_draft_is_answered() -> None:
    store, host = await gated_room()
    answered: list[str] = []

    def ask_again(_: Answer) -> None:
        answered.append("first")
        host.submit(Play(ADA.id, 8, 2), lambda answer: answered.append("again"))

    host.submit(Play(ADA.id, 4, 0), ask_again)
    host.submit(Play(BO.id, 0, 1), lambda answer: answered.append("second"))
    store.open_gate()
    await settle()

    assert answered == ["first", "second", "again"]


async def test_a_command_submitted_by_a_refusal_waits_behind_the_queue() -> None:
    store, host = await gated_room(takes_early=True)
    answered: list[str] = []

    def ask_again(_: Answer) -> None:
        answered.append("refused")
        host.submit(Play(CY.id, 0, 0), lambda answer: answered.append("again"))

    submit(host, Play(ADA.id, 4, 0))
    host.submit(Play(CY.id, 0, 1), ask_again)
    host.submit(Play(CY.id, 1, 1), lambda answer: answered.append("behind"))
    store.open_gate()
    await settle()

    assert answered == ["refused", "behind", "again"]


async def test_a_closed_host_notifies_nobody_of_an_append_under_way() -> None:
    store = Gated()
    rooms = new_rooms(store)
    notified: list[int] = []
    rooms.on_change.append(lambda host: notified.append(host.room.seq))
    host = await open_room(rooms)
    store.is_gated = True
    answers = submit(host, Play(ADA.id, 4, 0))
    before = list(notified)

    rooms.close()
    store.open_gate()
    await settle()

    assert answers == [ACCEPTED]
    assert notified == before


async def test_a_move_whose_caller_was_cancelled_is_made_once() -> None:
    store, host = await gated_room()
    move = asyncio.create_task(host.submit_and_wait(Play(ADA.id, 4, 0)))
    await settle()
    move.cancel()
    await asyncio.gather(move, return_exceptions=True)
    again = submit(host, Play(ADA.id, 4, 0))
    await settle()
    assert again == []
    store.open_gate()
    await settle()

    assert again == [ACCEPTED], "the first one was carried out"
    assert host.room.moves == (4,)
    assert host.room == replay(await store.load(host.id))


async def test_a_room_is_busy_while_followed_or_on_the_clock() -> None:
    host = await open_room(new_rooms(), time=TimeControl(5_000))
    assert not host.is_busy
    cy, _ = connected(CY)
    host.audience.add(cy)
    assert host.is_busy
    host.audience.remove(cy)
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    assert host.is_busy
    await host.submit_and_wait(Resign(BO.id))
    assert not host.is_busy


async def test_a_room_is_busy_while_a_command_waits() -> None:
    store, host = await gated_room()
    moves = [asyncio.create_task(host.submit_and_wait(Play(ADA.id, 4, 0))) for _ in range(2)]
    await settle()

    assert host.is_busy
    store.open_gate()
    await asyncio.gather(*moves)
    assert not host.is_busy
