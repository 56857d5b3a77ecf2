"""A two-sided game clock with increment, as plain arithmetic.

Nothing here reads the time. Callers pass `now` in milliseconds, so a room rebuilt from its events a
year later shows the clocks its players saw. A new clock stands until the first move, which costs
nothing and earns nothing. While a clock stands, `since` is None.

>>> clock = Clock.new(60_000, increment=2_000).press(now=0)
>>> clock = clock.press(now=5_000)
>>> clock.left(Mark.X, now=9_000), clock.left(Mark.O, now=9_000)
(56000, 57000)
"""

from __future__ import annotations

from server.core.record import Record, replace
from server.core.rules import Mark, X


class Clock(Record):
    """What both sides have left, and who has been paying since when.

    `budget` and `increment` are the time control; `budgets` is what X and O had left at `since`.
    """

    budget: int
    increment: int
    budgets: tuple[int, int]
    turn: Mark
    since: int | None

    @classmethod
    def new(cls, budget: int, *, increment: int = 0, turn: Mark = X) -> Clock:
        return cls(budget, increment, (budget, budget), turn, None)

    def left(self, mark: Mark, *, now: int) -> int:
        is_paying = mark is self.turn and self.since is not None
        spent = max(0, now - (self.since or 0)) if is_paying else 0
        return max(0, self.budgets[mark] - spent)

    def deadline(self) -> int | None:
        """The instant the flag falls unless the side to move presses first; None if it stands."""
        return None if self.since is None else self.since + self.budgets[self.turn]

    def press(self, *, now: int) -> Clock:
        """End the current turn; the caller has already ruled out a fallen flag."""
        if self.since is None:
            return replace(self, turn=self.turn.other, since=now)
        left = self.left(self.turn, now=now) + self.increment
        return replace(self, budgets=self._budgets_with(left), turn=self.turn.other, since=now)

    def stop(self, *, now: int) -> Clock:
        """Charge the side to move for its time up to `now`, and stand."""
        if self.since is None:
            return self
        left = self.left(self.turn, now=now)
        return replace(self, budgets=self._budgets_with(left), since=None)

    def resume(self, *, now: int, away_since: int | None = None) -> Clock:
        """Run for the side to move from `now` on.

        The side to move pays for its time up to `away_since`, if given; nobody pays for the rest.
        """
        charged = self if away_since is None else self.stop(now=min(away_since, now))
        return replace(charged, since=now)

    def _budgets_with(self, left: int) -> tuple[int, int]:
        """The budgets once the side to move has `left`."""
        x, o = self.budgets
        return (left, o) if self.turn is X else (x, left)
