from __future__ import annotations

import asyncio

import pytest

from server.core.commands import (
    AI_PLAYER,
    Claim,
    Command,
    Leave,
    Play,
    Reason,
    Refused,
    Rematch,
    Resign,
    SeatAI,
    Sit,
)
from server.core.events import Event, MovePlayed, Person, SeatTaken, TimeControl
from server.core.evolve import replay
from server.core.room import RoomId
from server.core.rules import Ending, Mark
from server.live.draft import ACCEPTED, Answer, Fault, Refusal
from server.live.host import DRAFT_LIMIT, RoomHost
from server.store import Done, Take, Unavailable
from server.store.memory import MemoryStore
from tests.support.houses import HandClock, new_rooms, open_room
from tests.support.outboxes import connected, new_scheduler, tick
from tests.support.people import ADA, BO, CY


class Moody(MemoryStore):
    """A store that can be told to fail, or to be slow."""

    def __init__(self) -> None:
        super().__init__()
        self.is_down = False
        self.is_broken = False
        self.is_unreadable = False
        self.is_hasty = False  # takes the events long before it writes them
        self.appends = 0
        self.loads = 0
        self.gate: asyncio.Event | None = None

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        if self.is_broken:
            raise RuntimeError("cannot start a thread")
        self.appends += 1
        if self.is_hasty:
            events = take()
            take = lambda: events  # noqa: E731
        if self.gate is not None:
            self._slow = asyncio.create_task(
                self._append_later(self.gate, room, expected, take, done)
            )
        else:
            self._append(room, expected, take, done)

    def _append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        if self.is_down:
            done(Unavailable("no space left"))
        else:
            super().append(room, expected, take, done)

    async def load(self, room: RoomId) -> list[Event]:
        self.loads += 1
        if self.is_unreadable:
            raise Unavailable("cannot read")
        return await super().load(room)

    async def _append_later(
        self, gate: asyncio.Event, room: RoomId, expected: int, take: Take, done: Done
    ) -> None:
        await gate.wait()
        self._append(room, expected, take, done)


def ask(host: RoomHost, *commands: Command) -> list[Answer]:
    """Submit the commands one after the other; the list fills with their answers."""
    answers: list[Answer] = []
    for command in commands:
        host.submit(command, answers.append)
    return answers


RETRY, STALE = Refusal(Reason.RETRY), Refusal(Reason.STALE)


async def test_the_answer_comes_before_the_state_and_in_one_write() -> None:
    host = await open_room(new_rooms())
    ada, wire = connected(ADA)
    host.audience.add(ada)
    answer = b"\x81\x14" + b'{"type":"accepted"} '

    await host.submit_and_wait(Play(ADA.id, 4, 0))
    ada.send(answer)
    await tick()

    [written] = wire.written
    assert written.startswith(answer)
    assert wire.frames[1]["moves"] == [4]


async def test_the_answer_comes_before_the_state_also_for_a_spectator() -> None:
    host = await open_room(new_rooms())
    cy, wire = connected(CY)
    host.audience.add(cy)
    answer = b"\x81\x14" + b'{"type":"accepted"} '

    await host.submit_and_wait(Play(ADA.id, 4, 0))
    cy.send(answer)
    await tick()

    assert [frame["type"] for frame in wire.frames] == ["accepted", "state"]


async def test_nothing_is_answered_or_shown_before_it_is_durable() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    bo, wire = connected(BO)
    host.audience.add(bo)
    store.gate = asyncio.Event()

    move = asyncio.create_task(host.submit_and_wait(Play(ADA.id, 4, 0)))
    await asyncio.sleep(0.01)
    assert (move.done(), wire.of_type("state"), host.room.moves) == (False, [], ())
    store.gate.set()
    await move
    await tick()

    assert host.room.seq == 4
    assert [state["moves"] for state in wire.of_type("state")] == [[4]]


async def test_commands_are_carried_out_one_at_a_time() -> None:
    host = await open_room(new_rooms())

    answers = ask(host, *(Play(ADA.id, cell, 0) for cell in range(9)))

    assert answers == [ACCEPTED] + [STALE] * 8
    assert host.room.moves == (0,)


async def test_what_comes_before_the_store_takes_it_becomes_durable_together() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    bo, wire = connected(BO)
    host.audience.add(bo)
    store.gate, before = asyncio.Event(), store.appends

    answers = ask(host, Play(ADA.id, 4, 0), Play(BO.id, 0, 1), Play(ADA.id, 8, 2))
    await asyncio.sleep(0.01)
    assert answers == []
    store.gate.set()
    await asyncio.sleep(0.01)
    assert answers == [ACCEPTED, ACCEPTED, ACCEPTED]

    assert store.appends == before + 1
    assert [state["moves"] for state in wire.of_type("state")] == [[4, 0, 8]]
    assert host.room == replay(await store.load(host.id))


async def test_what_comes_after_the_store_has_taken_it_waits_for_its_turn() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.gate, store.is_hasty, before = asyncio.Event(), True, store.appends

    first = ask(host, Play(ADA.id, 4, 0))
    await asyncio.sleep(0.01)
    second = ask(host, Play(BO.id, 0, 1))
    await asyncio.sleep(0.01)
    assert store.appends == before + 1
    store.gate.set()
    await asyncio.sleep(0.01)

    assert (first, second) == ([ACCEPTED], [ACCEPTED])
    assert store.appends == before + 2
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
@pytest.mark.parametrize("is_hasty", [False, True])
async def test_nobody_is_answered_by_what_may_never_become_durable(
    behind: Command, afterwards: Reason, is_hasty: bool
) -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    before = host.room
    store.gate, store.is_hasty = asyncio.Event(), is_hasty
    answers = ask(host, Play(ADA.id, 4, 0), behind)
    await asyncio.sleep(0.01)
    assert answers == []

    store.is_down = True
    store.gate.set()
    await asyncio.sleep(0.01)

    assert answers == [RETRY, Refusal(afterwards) if is_hasty else RETRY]
    assert host.room == before


async def test_what_was_decided_together_meets_a_conflict_together() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.gate = asyncio.Event()
    answers = ask(host, Play(ADA.id, 4, 0), Play(BO.id, 0, 1), Play(ADA.id, 5, 2))
    await asyncio.sleep(0.01)
    foreign = [MovePlayed(2_000_000, Mark.X, 8)]
    MemoryStore.append(store, host.id, host.room.seq, lambda: foreign, lambda problem: None)
    store.gate.set()
    await asyncio.sleep(0.01)

    assert answers == [STALE, ACCEPTED, ACCEPTED]
    assert host.room.moves == (8, 0, 5)
    assert host.room == replay(await store.load(host.id))


async def test_who_is_absent_is_asked_only_once_it_is_certain_who_sits() -> None:
    store, clock = Moody(), HandClock()
    host = await open_room(new_rooms(store, clock))
    clock.now += 60_000  # Bo was never here
    store.gate = asyncio.Event()

    def follow(_: object) -> None:
        host.audience.add(connected(CY)[0])

    ask(host, Leave(BO.id, Mark.O))
    host.submit(Sit(CY, Mark.O), follow)
    cover = ask(host, SeatAI(ADA.id, Mark.O, "hard"))
    await asyncio.sleep(0.01)
    store.gate.set()
    await asyncio.sleep(0.01)

    assert cover == [Refusal(Reason.SEAT_TAKEN)]
    assert host.room.seats[Mark.O] == CY


async def test_a_flag_that_has_fallen_and_the_command_behind_it_are_one_append() -> None:
    store, clock = Moody(), HandClock()
    host = await open_room(new_rooms(store, clock), time=TimeControl(5_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    clock.now += 5_000
    before = store.appends

    await host.submit_and_wait(Rematch(ADA.id))

    assert store.appends == before + 1
    assert host.room.outcome is not None
    assert (host.room.outcome.by, *host.room.rematch_asked) == (Ending.TIME, Mark.X)


async def test_a_draft_takes_a_few_commands_and_no_more() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.gate, before = asyncio.Event(), store.appends
    names = [Person(ADA.id, f"Ada {number}") for number in range(2 * DRAFT_LIMIT + 1)]
    answers = ask(host, *(Sit(name, Mark.X) for name in names))
    await asyncio.sleep(0.01)
    store.gate.set()
    await asyncio.sleep(0.01)

    assert answers == [ACCEPTED] * len(names)
    assert store.appends == before + 3
    assert host.room.seats[Mark.X] == names[-1]


async def test_a_store_that_cannot_write_refuses_and_nothing_changes() -> None:
    store = Moody()
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


async def test_a_long_queue_behind_a_doubt_is_answered_one_by_one() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.is_down = True
    with pytest.raises(Refused, match="retry"):
        await host.submit_and_wait(Play(ADA.id, 4, 0))
    store.is_down = False

    names = [Person(ADA.id, f"Ada {number}") for number in range(3_000)]
    answers = ask(host, *(Sit(name, Mark.X) for name in names))
    async with asyncio.timeout(30):
        while len(answers) < len(names):
            await tick()

    assert answers == [ACCEPTED] * len(names)
    assert host.room.seats[Mark.X] == names[-1]
    assert store.loads == 1
    assert not host.is_busy


async def test_nobody_goes_before_those_who_wait_not_even_from_within_an_answer() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.gate, store.is_hasty = asyncio.Event(), True
    answered: list[str] = []

    def ask_again(_: object) -> None:
        answered.append("second")
        host.submit(Play(BO.id, 1, 3), lambda answer: answered.append(f"again {answer}"))

    host.submit(Play(ADA.id, 4, 0), lambda answer: answered.append("first"))
    host.submit(Play(BO.id, 0, 1), ask_again)
    host.submit(Play(ADA.id, 8, 2), lambda answer: answered.append("third"))
    store.gate.set()
    store.gate = None
    async with asyncio.timeout(10):
        while len(answered) < 4:
            await asyncio.sleep(0.01)

    assert answered == ["first", "second", "third", "again Accepted()"]


async def test_a_command_from_within_a_reply_waits_until_all_of_the_draft_are_answered() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.gate = asyncio.Event()
    answered: list[str] = []

    def ask_again(_: Answer) -> None:
        answered.append("first")
        host.submit(Play(ADA.id, 8, 2), lambda answer: answered.append("again"))

    host.submit(Play(ADA.id, 4, 0), ask_again)
    host.submit(Play(BO.id, 0, 1), lambda answer: answered.append("second"))
    store.gate.set()
    store.gate = None
    await asyncio.sleep(0.01)

    assert answered == ["first", "second", "again"]


async def test_a_command_from_within_a_refusal_goes_behind_those_that_wait() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.gate, store.is_hasty = asyncio.Event(), True
    answered: list[str] = []

    def ask_again(_: Answer) -> None:
        answered.append("refused")
        host.submit(Play(CY.id, 0, 0), lambda answer: answered.append("again"))

    ask(host, Play(ADA.id, 4, 0))
    await asyncio.sleep(0.01)
    host.submit(Play(CY.id, 0, 1), ask_again)
    host.submit(Play(CY.id, 1, 1), lambda answer: answered.append("behind"))
    store.gate.set()
    await asyncio.sleep(0.01)

    assert answered == ["refused", "behind", "again"]


async def test_after_a_conflict_the_draft_goes_before_those_that_wait() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.gate, store.is_hasty = asyncio.Event(), True
    answered: list[str] = []
    host.submit(Play(ADA.id, 4, 0), lambda answer: answered.append(f"drafted {answer}"))
    host.submit(Play(ADA.id, 5, 0), lambda answer: answered.append("behind"))
    foreign = [SeatTaken(2_000_000, Mark.X, Person(ADA.id, "Ada L."))]
    MemoryStore.append(store, host.id, host.room.seq, lambda: foreign, lambda problem: None)
    store.gate.set()
    store.gate = None
    await asyncio.sleep(0.01)

    assert answered == ["drafted Accepted()", "behind"]
    assert host.room.moves == (4,)


async def test_a_room_that_could_not_be_read_again_is_still_in_doubt() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    await store.append_and_wait(host.id, host.room.seq, [MovePlayed(2_000_000, Mark.X, 8)])
    store.is_unreadable = True

    answers = ask(host, Play(ADA.id, 4, 0))
    assert host.is_busy, "somebody waits for the reload"
    await asyncio.sleep(0.01)
    assert answers == [RETRY]
    assert not host.is_busy
    assert ask(host, Play(CY.id, 4, 1)) == [], "nobody knows yet who sits here"
    store.is_unreadable = False
    answers = ask(host, Play(BO.id, 4, 1))
    await asyncio.sleep(0.01)

    assert answers == [ACCEPTED]
    assert host.room.moves == (8, 4)


@pytest.mark.parametrize("drafted", [[], [Play(ADA.id, 4, 0)]])
async def test_after_our_own_fault_the_room_is_read_again_before_the_next_command(
    drafted: list[Command], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.gate = asyncio.Event()
    answers = ask(host, *drafted)
    with monkeypatch.context() as broken:
        broken.setattr("server.live.draft.decide", lambda room, command, now: 1 // 0)
        host.submit(Resign(BO.id), answers.append)
    store.gate.set()
    store.gate = None
    await asyncio.sleep(0.01)
    assert isinstance(answers[-1], Fault)
    assert store.loads == 0

    await host.submit_and_wait(Resign(BO.id))

    assert store.loads == 1


async def test_our_own_fault_before_the_append_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    with monkeypatch.context() as broken:
        broken.setattr("server.live.draft.evolve", lambda room, event: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            await host.submit_and_wait(Play(ADA.id, 4, 0))

    await host.submit_and_wait(Play(ADA.id, 0, 0))
    assert host.room == replay(await store.load(host.id))
    assert host.room.moves == (0,)


async def test_after_our_own_fault_the_room_is_taken_from_the_store_again_and_shown(
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
    assert [state["moves"] for state in wire.of_type("state")] == [[4]], "it had become durable"
    await host.submit_and_wait(Play(BO.id, 0, 1))
    assert host.room == replay(await store.load(host.id))


async def test_our_own_fault_takes_nothing_back_from_whoever_was_told_before_it() -> None:
    store = Moody()
    rooms = new_rooms(store)
    host = await open_room(rooms)
    answers: list[Answer] = []

    def hurry(host: RoomHost) -> None:
        if host.room.seq == 4:
            store.gate = asyncio.Event()
            host.submit(Play(BO.id, 0, 1), answers.append)

    def stumble(host: RoomHost) -> None:
        if host.room.seq == 4:
            raise ZeroDivisionError

    rooms.on_change += [hurry, stumble]
    host.submit(Play(ADA.id, 4, 0), answers.append)
    assert store.gate is not None
    host.submit(Play(ADA.id, 0, 2), answers.append)
    store.gate.set()
    async with asyncio.timeout(10):
        while len(answers) < 3:
            await asyncio.sleep(0.01)

    assert isinstance(answers[0], Fault)
    assert answers[1:] == [ACCEPTED, Refusal(Reason.CELL_TAKEN)]
    assert host.room == replay(await store.load(host.id))


async def test_a_store_that_stumbles_leaves_no_room_stuck() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.is_broken = True
    with pytest.raises(RuntimeError):
        await host.submit_and_wait(Play(ADA.id, 4, 0))
    store.is_broken = False

    async with asyncio.timeout(10):
        await host.submit_and_wait(Play(ADA.id, 4, 0))


async def test_an_answer_that_cannot_be_given_leaves_no_room_stuck(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.gate = asyncio.Event()
    host.submit(Play(ADA.id, 4, 0), lambda answer: 1 // 0)  # type: ignore[arg-type]
    behind = ask(host, Play(BO.id, 0, 1))
    await asyncio.sleep(0.01)
    store.gate.set()
    await asyncio.sleep(0.01)

    assert behind == [ACCEPTED]
    assert "a reply failed" in caplog.text


async def test_a_closed_host_tells_nobody_of_what_was_still_under_way() -> None:
    store = Moody()
    rooms = new_rooms(store)
    told: list[int] = []
    rooms.on_change.append(lambda host: told.append(host.room.seq))
    host = await open_room(rooms)
    store.gate = asyncio.Event()
    answers = ask(host, Play(ADA.id, 4, 0))
    await asyncio.sleep(0.01)
    before = list(told)

    rooms.close()
    store.gate.set()
    await asyncio.sleep(0.01)

    assert answers == [ACCEPTED]

    assert told == before


async def test_a_flag_that_cannot_fall_refuses_the_command_behind_it() -> None:
    store, clock = Moody(), HandClock()
    host = await open_room(new_rooms(store, clock), time=TimeControl(5_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    clock.now += 5_000
    store.is_down = True

    async with asyncio.timeout(10):
        for _ in range(3):
            with pytest.raises(Refused, match="retry"):
                await host.submit_and_wait(Play(BO.id, 0, 1))
    store.is_down = False
    with pytest.raises(Refused, match="game_over"):
        await host.submit_and_wait(Play(BO.id, 0, 1))


async def test_what_somebody_else_has_written_is_learned_shown_and_respected() -> None:
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


async def test_a_move_whose_caller_vanished_is_neither_lost_nor_doubled() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.gate = asyncio.Event()
    move = asyncio.create_task(host.submit_and_wait(Play(ADA.id, 4, 0)))
    await asyncio.sleep(0.01)
    move.cancel()
    await asyncio.gather(move, return_exceptions=True)
    again = ask(host, Play(ADA.id, 4, 0))
    await asyncio.sleep(0.01)
    assert again == []
    store.gate.set()
    await asyncio.sleep(0.01)

    assert again == [ACCEPTED], "it was carried out already"
    assert host.room.moves == (4,)
    assert host.room == replay(await store.load(host.id))


async def test_players_are_written_to_before_spectators() -> None:
    host = await open_room(new_rooms())
    order: list[str] = []
    scheduler = new_scheduler()
    for person in (CY, ADA, BO):
        outbox, wire = connected(person, scheduler)
        wire.write = lambda _, name=person.name: order.append(name)  # type: ignore[method-assign, misc]
        host.audience.add(outbox)

    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await tick()

    assert order == ["Ada", "Bo", "Cy"]


async def test_a_thousand_spectators_each_see_rising_states() -> None:
    host = await open_room(new_rooms())
    scheduler, wires = new_scheduler(), []
    for _ in range(1_000):
        outbox, wire = connected(CY, scheduler)
        host.audience.add(outbox)
        wires.append(wire)

    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await tick()
    assert 0 < sum(bool(wire.written) for wire in wires) < 1_000
    await host.submit_and_wait(Play(BO.id, 0, 1))
    await asyncio.sleep(0.05)

    for wire in wires:
        seen = [state["seq"] for state in wire.of_type("state")]
        assert seen == sorted(set(seen))
        assert seen[-1] == host.room.seq


async def test_a_flag_falls_by_itself() -> None:
    clock = HandClock()
    host = await open_room(new_rooms(clock=clock), time=TimeControl(5_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    assert host.room.deadline() == clock.now + 5_000

    clock.now += 4_980
    await host.submit_and_wait(
        Sit(Person(BO.id, "Robert"), Mark.O)
    )  # any event sets the alarm anew
    await asyncio.sleep(0.05)  # the timer fires before the clock has come so far
    assert host.room.outcome is None
    clock.now += 20
    async with asyncio.timeout(10):
        while host.room.outcome is None:
            await asyncio.sleep(0.01)

    assert (host.room.outcome.winner, host.room.outcome.by) == (Mark.X, Ending.TIME)


async def test_a_flag_that_could_not_fall_falls_once_the_store_can_write() -> None:
    store, clock = Moody(), HandClock()
    host = await open_room(new_rooms(store, clock), time=TimeControl(5_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    clock.now += 5_000
    store.is_down = True
    host._arm()
    await asyncio.sleep(0.05)
    store.is_down = False
    async with asyncio.timeout(10):
        while host.room.outcome is None:
            await asyncio.sleep(0.05)

    assert host.room.outcome.by is Ending.TIME


async def test_a_move_after_the_deadline_loses_on_time() -> None:
    clock = HandClock()
    host = await open_room(new_rooms(clock=clock), time=TimeControl(5_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    clock.now += 5_000
    with pytest.raises(Refused) as refusal:
        await host.submit_and_wait(Play(BO.id, 0, 1))

    assert refusal.value.reason is Reason.GAME_OVER
    assert host.room.outcome is not None
    assert host.room.outcome.by is Ending.TIME


async def test_the_ai_may_cover_after_twenty_seconds_offline_and_not_before() -> None:
    clock = HandClock()
    host = await open_room(new_rooms(clock=clock))
    bo, _ = connected(BO)
    host.audience.add(bo)
    clock.now += 60_000

    cover = SeatAI(ADA.id, Mark.O, "hard")
    with pytest.raises(Refused, match="seat_taken"):
        await host.submit_and_wait(cover)
    host.audience.remove(bo)
    clock.now += 19_999
    with pytest.raises(Refused, match="seat_taken"):
        await host.submit_and_wait(cover)
    clock.now += 1
    await host.submit_and_wait(cover)


async def test_a_win_is_claimed_after_thirty_seconds_of_their_own_turn() -> None:
    clock = HandClock()
    host = await open_room(new_rooms(clock=clock))
    clock.now += 60_000
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    clock.now += 29_999
    with pytest.raises(Refused, match="too_early"):
        await host.submit_and_wait(Claim(ADA.id))
    clock.now += 1
    await host.submit_and_wait(Claim(ADA.id))
    assert host.room.outcome is not None
    assert host.room.outcome.by is Ending.ABSENCE


async def test_only_somebody_who_follows_asks_an_exhibition_for_more() -> None:
    host = await open_room(new_rooms(), "easy", "easy")
    for ply, cell in enumerate((0, 3, 1, 4, 2)):
        await host.submit_and_wait(Play(AI_PLAYER, cell, ply))

    with pytest.raises(Refused, match="not_seated"):
        await host.submit_and_wait(Rematch(CY.id))
    cy, _ = connected(CY)
    host.audience.add(cy)
    await host.submit_and_wait(Rematch(CY.id))
    assert host.room.game == 2


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


async def test_leaving_a_seat_parts_player_from_spectator_again() -> None:
    host = await open_room(new_rooms())
    bo, wire = connected(BO)
    host.audience.add(bo)
    await host.submit_and_wait(Leave(BO.id, Mark.O))
    await asyncio.sleep(0.1)

    assert wire.of_type("presence")[-1] == {
        "type": "presence",
        "room": "room",
        "online": [],
        "watchers": 1,
    }


async def test_a_log_that_is_gone_is_said_to_be_and_not_asked_for_for_ever() -> None:
    store = MemoryStore()
    host = await open_room(new_rooms(store))
    store._logs.clear()

    async with asyncio.timeout(5):
        with pytest.raises(Refused, match="no_such_room"):
            await host.submit_and_wait(Play(ADA.id, 4, 0))


async def test_a_room_is_busy_while_anybody_waits_for_its_turn() -> None:
    store = Moody()
    host = await open_room(new_rooms(store))
    store.gate = asyncio.Event()
    moves = [asyncio.create_task(host.submit_and_wait(Play(ADA.id, 4, 0))) for _ in range(2)]
    await asyncio.sleep(0.01)

    assert host.is_busy
    store.gate.set()
    await asyncio.gather(*moves)
    assert not host.is_busy
