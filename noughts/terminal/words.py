"""Every sentence of the terminal about a room: a state in, text out."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from noughts.games import game_name
from noughts.messages import State
from noughts.shapes import (
    AISeat,
    HumanSeat,
    ListedAI,
    ListedHuman,
    ListedSeat,
    Mark,
    OpenSeat,
    Seat,
)
from noughts.terminal.aiming import name_of
from noughts.terminal.board import playable
from noughts.terminal.nested import board_of

LEVELS = {
    "gentle": "Lets you find your feet.",
    "easy": "Plays like a tired child.",
    "medium": "Blocks, but plans badly.",
    "hard": "Slips about once a game.",
    "perfect": "Has never lost. A draw is a triumph.",
    "best": "As good as it gets here.",
}
OTHER: dict[Mark, Mark] = {"X": "O", "O": "X"}


def seat_of(state: State, mark: Mark) -> Seat:
    return state.seats.X if mark == "X" else state.seats.O


def seat_name(seat: Seat | ListedSeat) -> str:
    match seat:
        case HumanSeat(name=name) | ListedHuman(name=name):
            return name
        case AISeat(level=level) | ListedAI(level=level):
            return f"{level.capitalize()} computer"
        case OpenSeat():
            return "nobody yet"


def is_bot(seat: Seat | ListedSeat) -> bool:
    return getattr(seat, "bot", UNSET) is True


def name_in(state: State, mark: Mark) -> str:
    seat = seat_of(state, mark)
    return mark if isinstance(seat, OpenSeat) else seat_name(seat)


def title(state: State) -> str:
    game = f" · game {state.game}" if state.game > 1 else ""
    return f"{game_name(state.variant.name)}{game}"


def status(state: State, mine: Sequence[Mark]) -> str:
    """What the moment is about, in one or two sentences."""
    if state.outcome is not None:
        return f"{result(state, mine)} {ending(state, mine)}".rstrip()
    if state.turn is None:
        return _waiting(state, mine)
    if len(mine) == 2:
        return f"{_side(state, state.turn)}, your turn{_reminder(state)}."
    if state.turn in mine:
        return f"Your turn{_reminder(state)}."
    verb = "is thinking …" if isinstance(seat_of(state, state.turn), AISeat) else "to move."
    return f"{name_in(state, state.turn)} {verb}{_fading_note(state)}"


def _waiting(state: State, mine: Sequence[Mark]) -> str:
    open_ = [mark for mark in OTHER if isinstance(seat_of(state, mark), OpenSeat)]
    if not mine:
        return "Waiting for players."
    if state.moves:
        return f"{open_[0]} has left. Waiting for somebody to sit down."
    return "Waiting for the other player."


def _side(state: State, mark: Mark) -> str:
    """Who is meant where two people share one keyboard."""
    names = [name_in(state, each) for each in OTHER]
    return mark if names[0] == names[1] else name_in(state, mark)


def _reminder(state: State) -> str:
    """What a player has to keep in mind in their turn."""
    if state.variant.nested:
        boards = {board_of(cell) for cell in playable(state)}
        return f", board {min(boards) + 1}" if len(boards) == 1 else ", any open board"
    if state.variant.avoid:
        return ": avoid three"
    if isinstance(state.fading, int):
        return f": the ({state.turn}) on {name_of(state, state.fading)} goes next"
    return ""


def _fading_note(state: State) -> str:
    if not isinstance(state.fading, int):
        return ""
    return f" The ({state.turn}) on {name_of(state, state.fading)} goes next."


def result(state: State, mine: Sequence[Mark]) -> str:
    """Who has won."""
    winner = None if state.outcome is None else state.outcome.winner
    if winner is None:
        return "A draw."
    if len(mine) == 1:
        return "You win!" if winner in mine else f"{name_in(state, winner)} wins."
    return f"{_side(state, winner)} wins!"


def ending(state: State, mine: Sequence[Mark]) -> str:
    """How the game ended, where the board does not tell."""
    outcome = state.outcome
    if outcome is None or (outcome.by == "line" and not state.variant.avoid):
        return ""
    if outcome.by == "limit":
        return f"{len(state.moves)} moves, and nobody has won."
    if outcome.winner is None:
        return "Every board is decided." if state.variant.nested else "The board is full."
    loser = OTHER[outcome.winner]
    is_me = list(mine) == [loser]
    who = "You" if is_me else _side(state, loser)
    return {
        "line": f"{who} made three in a row.",
        "resignation": f"{who} resigned.",
        "time": f"{who} ran out of time.",
        "absence": f"{who} {'were' if is_me else 'was'} away too long.",
    }.get(outcome.by, "")


def rematch_note(state: State, mine: Sequence[Mark]) -> str:
    """Who wants another game, once one is over."""
    asked = [mark for mark in state.rematch if mark not in mine]
    if set(mine) & set(state.rematch):
        other = [mark for mark in OTHER if mark not in mine]
        return f"Waiting for {name_in(state, other[0])} to play again." if other else ""
    return f"{name_in(state, asked[0])} wants another game." if asked else ""


def duration(ms: int) -> str:
    """A time left on a clock.

    >>> duration(65_000), duration(4_250)
    ('1:05', '0:04.3')
    """
    tenths = -(-ms // 100)
    if tenths < 100:
        return f"0:0{tenths // 10}.{tenths % 10}"
    minutes, seconds = divmod(-(-ms // 1000), 60)
    return f"{minutes}:{seconds:02}"
