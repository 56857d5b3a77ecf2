"""A room whose store fails or has other events, and a room after our own fault."""

from __future__ import annotations

import asyncio

import pytest

from server.core.commands import (
    Command,
    Play,
    Reason,
    Refused,
    Resign,
    Sit,
)
from server.core.events import MovePlayed, Person, SeatTaken, TimeControl
from server.core.evolve import replay
from server.core.rules import Mark
from server.live.draft import ACCEPTED, Answer, Fault, Refusal
from server.live.host import RoomHost
from server.store.memory import MemoryStore
from tests.support.clockwork import settle
from tests.support.houses import HandClock, gated_room, new_rooms, open_room, submit
from tests.support.outboxes import connected, tick
from tests.support.people import ADA, BO, CY
from tests.support.stores import Gated

RETRY, STALE = Refusal(Reason.RETRY), Refusal(Reason.STALE)


async def test_a_store_that_cannot_write_refuses_and_nothing_changes() -> None:
    store = Gated()
    host = await open_room(new_rooms(store))
    before = host.room
    store.is_down = True

    with pytest.raises(Refused) as refusal:
        await host.submit_and_wait(Play(ADA.id, 4, 0))
    assert refusal.value.reason is Reason.RETRY
    assert host.room == before

    store.is_down = False
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    assert host.room == replay(await store.load(host.id))


@pytest.mark.parametrize(
    ("behind", "afterwards"),
    [
        (Play(ADA.id, 4, 0), Reason.RETRY),
        (Play(BO.id, 4, 1), Reason.STALE),
        (Play(CY.id, 0, 1), Reason.NOT_SEATED),
        (Resign(BO.id), Reason.RETRY),
    ],
)
@pytest.mark.parametrize("takes_early", [False, True])
async def test_no_answer_depends_on_a_draft_that_may_never_become_durable(
    behind: Command, afterwards: Reason, takes_early: bool
) -> None:
    store, host = await gated_room(takes_early=takes_early)
    before = host.room
    answers = submit(host, Play(ADA.id, 4, 0), behind)
    await settle()
    assert answers == []

    store.is_down = True
    store.open_gate()
    await settle()

    assert answers == [RETRY, Refusal(afterwards) if takes_early else RETRY]
    assert host.room == before


async def test_commands_of_one_draft_are_all_decided_again_after_a_conflict() -> None:
    store, host = await gated_room()
    answers = submit(host, Play(ADA.id, 4, 0), Play(BO.id, 0, 1), Play(ADA.id, 5, 2))
    store.append_foreign(host.id, host.room.seq, MovePlayed(2_000_000, Mark.X, 8))
    store.open_gate()
    await settle()

    assert answers == [STALE, ACCEPTED, ACCEPTED]
    assert host.room.moves == (8, 0, 5)
    assert host.room == replay(await store.load(host.id))


async def test_the_draft_goes_before_the_queue_after_a_conflict() -> None:
    store, host = await gated_room(takes_early=True)
    answered: list[str] = []
    host.submit(Play(ADA.id, 4, 0), lambda answer: answered.append(f"drafted {answer}"))
    host.submit(Play(ADA.id, 5, 0), lambda answer: answered.append("behind"))
    renamed = SeatTaken(2_000_000, Mark.X, Person(ADA.id, "Ada L."))
    store.append_foreign(host.id, host.room.seq, renamed)
    store.open_gate()
    await settle()

    assert answered == ["drafted Accepted()", "behind"]
    assert host.room.moves == (4,)


async def test_events_from_another_writer_are_loaded_shown_and_respected() -> None:
    store = MemoryStore()
    host = await open_room(new_rooms(store))
    bo, wire = connected(BO)
    host.audience.add(bo)
    await store.append_and_wait(host.id, host.room.seq, [MovePlayed(2_000_000, Mark.X, 0)])

    with pytest.raises(Refused) as refusal:
        await host.submit_and_wait(Play(ADA.id, 4, 0))

    assert refusal.value.reason is Reason.STALE
    await tick()
    assert [state["moves"] for state in wire.of_type("state")] == [[0]]
    await host.submit_and_wait(Play(BO.id, 4, 1))
    assert host.room == replay(await store.load(host.id))


async def test_a_room_whose_reload_fails_stays_doubtful() -> None:
    store = Gated()
    host = await open_room(new_rooms(store))
    await store.append_and_wait(host.id, host.room.seq, [MovePlayed(2_000_000, Mark.X, 8)])
    store.is_unreadable = True

    answers = submit(host, Play(ADA.id, 4, 0))
    assert host.is_busy, "a command waits for the reload"
    await settle()
    assert answers == [RETRY]
    assert not host.is_busy
    assert submit(host, Play(CY.id, 4, 1)) == [], "it waits for the next reload"
    store.is_unreadable = False
    answers = submit(host, Play(BO.id, 4, 1))
    await settle()

    assert answers == [ACCEPTED]
    assert host.room.moves == (8, 4)


async def test_a_long_queue_of_a_doubtful_room_is_answered_after_one_reload() -> None:
    store = Gated()
    host = await open_room(new_rooms(store))
    store.is_down = True
    with pytest.raises(Refused, match="retry"):
        await host.submit_and_wait(Play(ADA.id, 4, 0))
    store.is_down = False

    names = [Person(ADA.id, f"Ada {number}") for number in range(3_000)]
    answers = submit(host, *(Sit(name, Mark.X) for name in names))
    await settle()

    assert answers == [ACCEPTED] * len(names)
    assert host.room.seats[Mark.X] == names[-1]
    assert store.loads == 1
    assert not host.is_busy


async def test_a_log_that_is_gone_is_refused_and_not_reloaded_for_ever() -> None:
    store = MemoryStore()
    host = await open_room(new_rooms(store))
    store._logs.clear()

    with pytest.raises(Refused, match="no_such_room"):
        await host.submit_and_wait(Play(ADA.id, 4, 0))


async def test_a_flag_that_cannot_be_stored_refuses_the_command_after_it() -> None:
    store, clock = Gated(), HandClock()
    host = await open_room(new_rooms(store, clock), time=TimeControl(5_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    clock.now += 5_000
    store.is_down = True

    for _ in range(3):
        with pytest.raises(Refused, match="retry"):
            await host.submit_and_wait(Play(BO.id, 0, 1))
    store.is_down = False
    with pytest.raises(Refused, match="game_over"):
        await host.submit_and_wait(Play(BO.id, 0, 1))


async def test_a_store_that_raises_leaves_no_room_stuck() -> None:
    store = Gated()
    host = await open_room(new_rooms(store))
    store.is_broken = True
    with pytest.raises(RuntimeError):
        await host.submit_and_wait(Play(ADA.id, 4, 0))
    store.is_broken = False

    await host.submit_and_wait(Play(ADA.id, 4, 0))


@pytest.mark.parametrize("drafted", [[], [Play(ADA.id, 4, 0)]])
async def test_our_own_fault_in_deciding_leaves_the_room_as_it_was(
    drafted: list[Command], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, host = await gated_room()
    answers = submit(host, *drafted)
    with monkeypatch.context() as broken:
        broken.setattr("server.live.draft.decide", lambda room, command, now: 1 // 0)
        host.submit(Resign(BO.id), answers.append)
    store.open_gate()
    await settle()
    assert answers[:-1] == [ACCEPTED] * len(drafted)
    assert isinstance(answers[-1], Fault)

    await host.submit_and_wait(Resign(BO.id))

    assert store.loads == 0, "nothing was in doubt"
    assert host.room == replay(await store.load(host.id))


async def test_our_own_fault_before_the_append_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = Gated()
    host = await open_room(new_rooms(store))
    with monkeypatch.context() as broken:
        broken.setattr("server.live.draft.evolve", lambda room, event: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            await host.submit_and_wait(Play(ADA.id, 4, 0))

    await host.submit_and_wait(Play(ADA.id, 0, 0))
    assert host.room == replay(await store.load(host.id))
    assert host.room.moves == (0,)


async def test_the_reloaded_room_is_shown_after_our_own_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = MemoryStore()
    host = await open_room(new_rooms(store))
    bo, wire = connected(BO)
    host.audience.add(bo)
    with monkeypatch.context() as broken:
        broken.setattr("server.live.host.Snapshots.text", lambda self, room: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            await host.submit_and_wait(Play(ADA.id, 4, 0))

    with pytest.raises(Refused, match="stale"):
        await host.submit_and_wait(Play(BO.id, 0, 2))
    await tick()
    assert [state["moves"] for state in wire.of_type("state")] == [[4]], "the move was durable"
    await host.submit_and_wait(Play(BO.id, 0, 1))
    assert host.room == replay(await store.load(host.id))


async def test_a_change_that_was_shown_stays_when_a_later_callback_fails() -> None:
    store = Gated()
    rooms = new_rooms(store)
    host = await open_room(rooms)
    answers: list[Answer] = []

    def move_on(host: RoomHost) -> None:
        if host.room.seq == 4:
            store.is_gated = True
            host.submit(Play(BO.id, 0, 1), answers.append)

    def fail(host: RoomHost) -> None:
        if host.room.seq == 4:
            raise ZeroDivisionError

    rooms.on_change += [move_on, fail]
    host.submit(Play(ADA.id, 4, 0), answers.append)
    host.submit(Play(ADA.id, 0, 2), answers.append)
    store.open_gate()
    await settle()

    assert isinstance(answers[0], Fault)
    assert answers[1:] == [ACCEPTED, Refusal(Reason.CELL_TAKEN)]
    assert host.room == replay(await store.load(host.id))


async def test_a_reply_that_raises_leaves_no_room_stuck(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store, host = await gated_room()
    host.submit(Play(ADA.id, 4, 0), lambda answer: 1 // 0)  # type: ignore[arg-type]
    behind = submit(host, Play(BO.id, 0, 1))
    store.open_gate()
    await settle()

    assert behind == [ACCEPTED]
    assert "a reply failed" in caplog.text


async def test_a_fault_while_a_state_is_shown_is_repaired_by_the_reload(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = await open_room(new_rooms())
    bo, wire = connected(BO)
    host.audience.add(bo)
    with monkeypatch.context() as broken:
        broken.setattr("server.live.audience.Audience.broadcast", lambda self, state: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            await host.submit_and_wait(Play(ADA.id, 4, 0))

    with pytest.raises(Refused, match="stale"):
        await host.submit_and_wait(Play(BO.id, 0, 2))
    await tick()

    assert [state["moves"] for state in wire.of_type("state")] == [[4]]


async def test_a_closed_host_arms_no_flag_when_its_append_ends() -> None:
    store, clock = Gated(), HandClock()
    rooms = new_rooms(store, clock)
    host = await open_room(rooms, time=TimeControl(5_000))
    store.is_gated = True
    answers = submit(host, Play(ADA.id, 4, 0))

    rooms.close()
    store.is_gated = False
    store.open_gate()
    await settle()
    assert answers == [ACCEPTED]
    clock.now += 10_000
    await asyncio.sleep(10.0)

    assert host.room.outcome is None
