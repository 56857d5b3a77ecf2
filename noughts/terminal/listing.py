"""The lobby as a screen: the public games, one a line, with the one that would be opened."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.games import game_name
from noughts.shapes import ListedRoom, ListedSeat
from noughts.terminal.styled import Line, Span, fit, line, width_of, wrap
from noughts.terminal.words import is_bot, seat_name

GAME = 17  # columns for the name of a game, where there is room for it
HINTS, HINTS_OF_NOTHING = "arrows choose · Enter watch · q quit", "q quit"
NOBODY = "No public game is being played here just now. This list is live."


def in_order(rooms: Sequence[ListedRoom]) -> list[ListedRoom]:
    """Those being played first; else as the server lists them."""
    return sorted(rooms, key=lambda room: room.status != "playing")


def draw_list(
    page: str, rooms: Sequence[ListedRoom], at: int, width: int, height: int, news: str = ""
) -> list[Line]:
    """The list in a window of this size, scrolled so that room number `at` is to be seen."""
    heading = [line(fit(f"Public games at {page}", width).rstrip(), "bold"), line("")]
    hints = HINTS if rooms else HINTS_OF_NOTHING
    tail = [line(text, "warn") for text in wrap(news, width) if text]
    tail = [line(""), *tail, *(line(text, "dim") for text in wrap(hints, width))]
    space = max(1, height - len(heading) - len(tail))
    if not rooms:
        return [*heading, *(line(text) for text in wrap(NOBODY, width)[:space]), *tail][:height]
    first = max(0, min(at - space // 2, len(rooms) - space))
    shown = [
        _draw_room(room, is_here=number == at, width=width)
        for number, room in enumerate(rooms[first : first + space], first)
    ]
    return [*heading, *shown, *tail][:height]


def _draw_room(room: ListedRoom, *, is_here: bool, width: int) -> Line:
    tail = f"  {told(room)}"
    game = fit(game_name(room.variant), GAME) if width >= 60 else ""
    players = fit(f"{_player(room.seats.X)} – {_player(room.seats.O)}", 200).rstrip()
    space = max(8, width - 2 - width_of(game) - width_of(tail))
    style = "bold" if is_here else ""
    return [
        Span("▸ " if is_here else "  ", "bold"),
        Span(game, style),
        Span(fit(players, space), style),
        Span(tail, "dim"),
    ]


def told(room: ListedRoom) -> str:
    """How far a game is, in a few words."""
    if room.status == "over":
        winner = room.winner if isinstance(room.winner, str) else None
        state = "a draw" if winner is None else f"{winner} has won"
    else:
        state = room.status
    return f"{state}, {room.watchers} watching" if room.watchers else state


def as_text(room: ListedRoom) -> str:
    """One room as one line for a pipe: its id, the game, how far it is, who plays, the board."""
    players = f"{_player(room.seats.X)} – {_player(room.seats.O)}"
    return f"{room.room}  {room.variant}  {told(room)}  {players}  {room.board}"


def _player(seat: ListedSeat) -> str:
    return seat_name(seat) + " (bot)" * is_bot(seat)
