"""The players and spectators of a live room, and the order in which they get frames."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from server.core.commands import (
    AI_PLAYER,
    Leave,
    Play,
    Refused,
    Rematch,
)
from server.core.rules import Mark
from server.live.audience import FIRST_PRESENCE, Audience
from server.wire.snapshots import Snapshots
from tests.support.clockwork import settle
from tests.support.houses import new_rooms, open_room
from tests.support.outboxes import connected, new_scheduler, tick
from tests.support.people import ADA, BO, CY


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


async def test_a_move_sorts_nobody_makes_no_task_and_is_encoded_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That a move costs the same with a thousand spectators is a fact about what it does not do."""
    done: Counter[str] = Counter()
    for owner, name in (
        (Audience, "seat"),
        (Audience, "_place"),
        (Snapshots, "_encode_game"),
        (Snapshots, "_encode_suffix"),
        (Snapshots, "text"),
    ):
        monkeypatch.setattr(owner, name, counting(done, name, getattr(owner, name)))
    host = await open_room(new_rooms())
    for person in (ADA, CY, CY):
        host.audience.add(connected(person)[0])
    tasks = len(asyncio.all_tasks())
    done.clear()

    host.submit(Play(ADA.id, 4, 0), lambda _: None)
    assert len(asyncio.all_tasks()) == tasks
    await settle()

    assert host.room.moves == (4,)
    assert done == {"text": 1}


async def test_two_who_swap_marks_are_not_sorted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    done: Counter[str] = Counter()
    host = await open_room(new_rooms())
    for person in (ADA, BO, CY):
        host.audience.add(connected(person)[0])
    monkeypatch.setattr(Audience, "_place", counting(done, "_place", Audience._place))

    host.audience.seat((BO, ADA))

    assert done == {}


def counting(done: Counter[str], name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """The same, counted."""

    def counted(*arguments: object) -> object:
        done[name] += 1
        return call(*arguments)

    return counted


async def test_the_answer_comes_before_the_state_for_a_spectator_too() -> None:
    host = await open_room(new_rooms())
    cy, wire = connected(CY)
    host.audience.add(cy)
    answer = b"\x81\x14" + b'{"type":"accepted"} '

    await host.submit_and_wait(Play(ADA.id, 4, 0))
    cy.send(answer)
    await tick()

    assert [frame["type"] for frame in wire.frames] == ["accepted", "state"]


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
    await settle()

    for wire in wires:
        seen = [state["seq"] for state in wire.of_type("state")]
        assert seen == sorted(set(seen))
        assert seen[-1] == host.room.seq


async def test_only_a_follower_may_ask_for_the_next_game_of_an_exhibition() -> None:
    host = await open_room(new_rooms(), "easy", "easy")
    for ply, cell in enumerate((0, 3, 1, 4, 2)):
        await host.submit_and_wait(Play(AI_PLAYER, cell, ply))

    with pytest.raises(Refused, match="not_seated"):
        await host.submit_and_wait(Rematch(CY.id))
    cy, _ = connected(CY)
    host.audience.add(cy)
    await host.submit_and_wait(Rematch(CY.id))
    assert host.room.game == 2


async def test_a_player_who_leaves_the_seat_counts_as_a_spectator() -> None:
    host = await open_room(new_rooms())
    bo, wire = connected(BO)
    host.audience.add(bo)
    await host.submit_and_wait(Leave(BO.id, Mark.O))
    await asyncio.sleep(FIRST_PRESENCE)

    assert wire.of_type("presence")[-1] == {
        "type": "presence",
        "room": "room",
        "online": [],
        "watchers": 1,
    }
