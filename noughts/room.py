"""One room that a program follows: what it shows, and what can be done in it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from msgspec import UNSET

from noughts.line import Answer, Line
from noughts.messages import (
    Accepted,
    Analyse,
    Analysis,
    Claim,
    DismissAI,
    InRoom,
    Leave,
    Play,
    Presence,
    Rematch,
    Resign,
    Say,
    SeatAI,
    State,
    Unwatch,
)
from noughts.newest import NewestState
from noughts.shapes import MARKS, AISeat, HumanSeat, Mark, Seat


class View:
    """Questions about the `state` of a room, for the player who follows it."""

    _player: str

    @property
    def state(self) -> State:
        raise NotImplementedError

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The seats that this player holds: none, one, or both."""
        return tuple(mark for mark in MARKS if _holder(self.state.seats[mark]) == self._player)

    @property
    def seat(self) -> Mark | None:
        """The seat that this player holds; of both, the one to move."""
        marks = self.marks
        return self.state.turn if self.state.turn in marks else next(iter(marks), None)

    @property
    def my_turn(self) -> bool:
        return self.state.turn in self.marks


class Room(View):
    """Made by `Connection`. Every method raises `Refused` if the server declines.

    A method returns once `state` shows what it has done.
    """

    def __init__(self, id: str, player: str, line: Line) -> None:
        self.id = id
        self.presence: Presence | None = None
        self.newest = NewestState()
        self._player = player
        self._line = line

    # ------------------------------------------------------------------------- what it shows

    @property
    def state(self) -> State:
        """The newest state."""
        assert self.newest.value is not None, "a room is given away with its first state"
        return self.newest.value

    def states(self) -> AsyncIterator[State]:
        """The state now, and the newest one after each change.

        Ends after `unwatch`. Raises `Refused` (`no_such_room`) if the room is removed, and
        `Unreachable` if there will be no other connection.
        """
        return self.newest.values()

    # --------------------------------------------------------------------- what can be done

    async def play(self, cell: int, *, state: State | None = None) -> None:
        """Mark a cell. `state`: the one in which it was chosen, if that is not the newest.

        The move is refused as `stale` if there has been another one since.
        """
        at = state or self.state
        await self._do(Play(room=self.id, cell=cell, ply=len(at.moves), game=at.game))

    async def resign(self) -> None:
        await self._do(Resign(room=self.id, game=self.state.game))

    async def rematch(self) -> None:
        """Ask for the next game. It starts once both have asked."""
        await self._do(Rematch(room=self.id, game=self.state.game))

    async def claim(self) -> None:
        """Win against a player who has been offline for `limits.claim_after` of their turn."""
        await self._do(Claim(room=self.id, game=self.state.game))

    async def leave(self) -> None:
        """Give up every seat of this player. The room is still followed."""
        for mark in MARKS:
            if owner_of(self.state.seats[mark]) == self._player:
                await self._do(Leave(room=self.id, seat=mark))

    async def unwatch(self) -> None:
        """Stop following. Seats are kept. `Connection.watch` follows the room again."""
        await self._line.ask(Unwatch(room=self.id))

    async def say(self, phrase: str) -> None:
        """Send one of `Connection.phrases` to everybody here."""
        await self._do(Say(room=self.id, phrase=phrase))

    async def seat_ai(self, seat: Mark, level: str) -> None:
        await self._do(SeatAI(room=self.id, seat=seat, level=level))

    async def dismiss_ai(self, seat: Mark) -> None:
        await self._do(DismissAI(room=self.id, seat=seat))

    async def analyse(self, ply: int | None = None, game: int | None = None) -> Analysis:
        """What each playable cell leads to, after `ply` moves; players may not ask in a game."""
        asked = Analyse(room=self.id)
        asked.ply = UNSET if ply is None else ply
        asked.game = UNSET if game is None else game
        answer = await self._line.ask(asked)
        assert isinstance(answer, Analysis), answer
        return answer

    async def _do(self, request: InRoom) -> None:
        answer: Answer = await self._line.ask(request)  # type: ignore[arg-type]  # all are requests
        assert isinstance(answer, Accepted), answer
        await self.newest.kept()


def _holder(seat: Seat) -> str | None:
    """The id of the person who plays this seat."""
    return seat.player if isinstance(seat, HumanSeat) else None


def owner_of(seat: Seat) -> str | None:
    """The id of the person whose seat it is, also while an AI covers it."""
    if isinstance(seat, AISeat):
        return None if seat.covers is UNSET else seat.covers.player
    return _holder(seat)
