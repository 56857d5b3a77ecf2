"""A two-sided game clock with increment, as plain arithmetic.

Nothing here reads the time. Callers pass `now` in milliseconds, so a room rebuilt from its events a
year later shows the clocks its players saw. A new clock stands still until X's first move, which
costs nothing and earns nothing; `since` is None whenever it stands.

>>> clock = Clock.new(60_000, increment=2_000).press(now=0)
>>> clock = clock.press(now=5_000)
>>> clock.left(Mark.X, now=9_000), clock.left(Mark.O, now=9_000)
(56000, 57000)
"""

from __future__ import annotations

from server.core.record import Record, replace
from server.core.rules import Mark


class Clock(Record):
    """Both budgets, whose turn is being paid for, and since when."""

    budget: int
    increment: int
    budgets: tuple[int, int]
    turn: Mark
    since: int | None

    @classmethod
    def new(cls, budget: int, *, increment: int = 0) -> Clock:
        return cls(budget, increment, (budget, budget), Mark.X, None)

    def left(self, mark: Mark, *, now: int) -> int:
        runs = mark is self.turn and self.since is not None
        spent = max(0, now - (self.since or 0)) if runs else 0
        return max(0, self.budgets[mark] - spent)

    def deadline(self) -> int | None:
        """The instant the flag falls unless somebody presses first."""
        return None if self.since is None else self.since + self.budgets[self.turn]

    def press(self, *, now: int) -> Clock:
        """End the current turn; the caller has already ruled out a fallen flag."""
        if self.since is None:
            return replace(self, turn=self.turn.other, since=now)
        earned = self.left(self.turn, now=now) + self.increment
        return replace(self, budgets=self._with(self.turn, earned), turn=self.turn.other, since=now)

    def stop(self, *, now: int) -> Clock:
        """Charge what was used and stand still."""
        if self.since is None:
            return self
        return replace(
            self, budgets=self._with(self.turn, self.left(self.turn, now=now)), since=None
        )

    def resume(self, *, now: int, away_since: int | None = None) -> Clock:
        """Run for the side to move from `now` on.

        The side to move pays for its time up to `away_since`, if given; nobody pays for the rest.
        """
        charged = self if away_since is None else self.stop(now=min(away_since, now))
        return replace(charged, since=now)

    def _with(self, mark: Mark, left: int) -> tuple[int, int]:
        return (left, self.budgets[1]) if mark is Mark.X else (self.budgets[0], left)
