"""Drafts without an event loop: commands in, events and answers out."""

from __future__ import annotations

import pytest

from server.core.commands import Play, Reason, Rematch, Resign, Sit
from server.core.events import Event, GameForfeited, MovePlayed, RematchAsked, TimeControl
from server.core.evolve import evolve
from server.core.room import Room
from server.core.rules import Ending, Mark
from server.live.draft import ACCEPTED, Draft, Refusal
from tests.support.people import ADA, BO, CY
from tests.support.playing import a_room


def folded(room: Room, draft: Draft) -> Room:
    for event in draft.events:
        room = evolve(room, event)
    return room


def test_a_command_is_decided_against_the_room_as_the_one_before_will_leave_it() -> None:
    before = a_room(ADA, BO)
    draft = Draft(before)

    answers = [
        draft.carry_out(Play(ADA.id, 4, 0), now=10),
        draft.carry_out(Play(BO.id, 4, 1), now=20),
        draft.carry_out(Play(BO.id, 0, 1), now=30),
    ]

    assert answers == [ACCEPTED, Refusal(Reason.CELL_TAKEN), ACCEPTED]
    assert draft.events == (MovePlayed(10, Mark.X, 4), MovePlayed(30, Mark.O, 0))
    assert draft.room == folded(before, draft)
    assert before.moves == (), "the room itself is unchanged"


def test_a_refused_command_leaves_no_trace() -> None:
    draft = Draft(a_room(ADA, BO))

    assert draft.carry_out(Play(CY.id, 4, 0), now=10) == Refusal(Reason.NOT_SEATED)
    assert draft.events == ()


def test_a_command_with_nothing_to_change_is_accepted_without_events() -> None:
    draft = Draft(a_room(ADA, BO))

    assert draft.carry_out(Sit(ADA, Mark.X), now=10) == ACCEPTED
    assert draft.events == ()


def test_two_rematch_requests_start_the_next_game_in_one_draft() -> None:
    draft = Draft(a_room(ADA, BO))
    draft.carry_out(Resign(ADA.id), now=10)

    assert draft.carry_out(Rematch(BO.id), now=10) == ACCEPTED
    assert draft.carry_out(Rematch(ADA.id), now=10) == ACCEPTED
    assert (draft.room.game, len(draft.events)) == (2, 4)


def test_a_fallen_flag_comes_before_the_command() -> None:
    draft = Draft(a_room(ADA, BO, time=TimeControl(5_000)))
    draft.carry_out(Play(ADA.id, 4, 0), now=0)

    assert draft.carry_out(Play(BO.id, 0, 1), now=5_000) == Refusal(Reason.GAME_OVER)
    assert draft.events[1:] == (GameForfeited(5_000, Mark.O, Ending.TIME),)


def test_time_in_a_log_never_runs_backwards() -> None:
    draft = Draft(a_room(ADA, BO, now=100))

    draft.carry_out(Play(ADA.id, 4, 0), now=50)

    assert draft.events == (MovePlayed(100, Mark.X, 4),)


def test_our_own_fault_leaves_the_draft_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    draft = Draft(a_room(ADA, BO))
    draft.carry_out(Resign(ADA.id), now=10)
    draft.carry_out(Rematch(BO.id), now=10)
    before = draft.room, draft.events

    def stumble(room: Room, event: Event) -> Room:
        return evolve(room, event) if isinstance(event, RematchAsked) else 1 // 0  # type: ignore[return-value]

    monkeypatch.setattr("server.live.draft.evolve", stumble)
    with pytest.raises(ZeroDivisionError):
        draft.carry_out(Rematch(ADA.id), now=10)

    assert (draft.room, draft.events) == before
