"""Every game of a room, found in its log."""

from __future__ import annotations

from server.core.commands import Command, Create, Leave, Play, Rematch, Resign, SeatAI, Sit
from server.core.decide import decide
from server.core.events import Event
from server.core.evolve import replay
from server.core.history import Game, games
from server.core.room import AI
from server.core.rules import CLASSIC, DROP, Ending, Mark, Outcome, Position
from tests.support.people import ADA, BO, CY

X, O = Mark.X, Mark.O


def log_of(*commands: Command) -> list[Event]:
    """The log after these commands, one a second."""
    log: list[Event] = []
    for second, command in enumerate(commands):
        log += decide(replay(log), command, 1_000 * second)
    return log


def plays(cells: str, players: str = "ada bo") -> list[Command]:
    movers = players.split()
    ids = {"ada": ADA.id, "bo": BO.id}
    return [Play(ids[movers[p % 2]], int(c), p) for p, c in enumerate(cells.split())]


OPENED = Create(CLASSIC, (ADA, BO))
WON = [OPENED, *plays("0 3 1 4 2")]
REMATCH = [Rematch(ADA.id), Rematch(BO.id)]


def test_a_log_without_events_has_no_games() -> None:
    assert games([]) == []


def test_a_game_has_its_players_moves_times_and_outcome() -> None:
    [game] = games(log_of(*WON))

    assert game == Game(
        number=1,
        variant=CLASSIC,
        players=(ADA, BO),
        opening=0,
        moves=(0, 3, 1, 4, 2),
        times=(1_000, 2_000, 3_000, 4_000, 5_000),
        began=0,
        outcome=Outcome(X, Ending.LINE, (0, 1, 2)),
        ended=5_000,
    )


def test_a_game_that_is_played_has_no_end_yet() -> None:
    [game] = games(log_of(OPENED, *plays("4 0")))

    assert (game.moves, game.outcome, game.ended) == ((4, 0), None, None)


def test_a_rematch_is_the_next_game_with_the_marks_swapped() -> None:
    first, second = games(log_of(*WON, *REMATCH, *plays("8", "bo ada")))

    assert first.ended == 5_000
    assert (second.number, second.began, second.players) == (2, 7_000, (BO, ADA))
    assert (second.moves, second.times, second.outcome) == ((8,), (8_000,), None)


def test_a_game_can_end_off_the_board() -> None:
    [game] = games(log_of(OPENED, *plays("4"), Resign(BO.id)))

    assert game.outcome == Outcome(X, Ending.RESIGNATION)
    assert (game.times, game.ended) == ((1_000,), 2_000)


def test_the_players_are_those_of_the_last_move() -> None:
    left = games(log_of(*WON, Leave(BO.id, O), Sit(CY, O)))
    assert left[0].players == (ADA, BO)

    taken_over = games(log_of(OPENED, *plays("4"), Leave(BO.id, O), Sit(CY, O), Play(CY.id, 0, 1)))

    assert taken_over[0].players == (ADA, CY)


def test_the_players_of_a_game_stay_when_they_leave_before_or_after_its_end() -> None:
    left = [Leave(BO.id, O), Leave(ADA.id, X)]
    endings: list[list[Command]] = [
        [OPENED, *plays("4")],
        WON,
        [OPENED, *plays("4"), Resign(BO.id)],
        [OPENED, Resign(BO.id)],  # before the first move
    ]

    for ending in endings:
        [game] = games(log_of(*ending, *left, Sit(CY, O)))
        assert game.players == (ADA, BO)


def test_the_players_of_a_game_without_a_move_are_those_in_the_seats() -> None:
    [game] = games(log_of(Create(CLASSIC, (ADA, None)), SeatAI(ADA.id, O, "easy")))

    assert game.players == (ADA, AI("easy"))


def test_the_moves_of_an_opening_count_as_made_when_the_game_began() -> None:
    [game] = games(log_of(Create(DROP, (ADA, BO), opening=(38, 31)), Play(ADA.id, 24, 2)))

    assert (game.opening, game.moves, game.times) == (2, (38, 31, 24), (0, 0, 1_000))
    assert game.position_at(0) == Position(DROP)
    assert game.position_at(2) == Position(DROP).play(38).play(31)
