"""docs/protocol.md §3: the exact value of every cell, and the players who may not see it."""

from __future__ import annotations

from functools import cache

import pytest

from tests.support.dialling import Player, play_out, seated_pair

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
Cells = list[dict[str, object] | None]


def board_after(moves: list[int]) -> str:
    board = ["."] * 9
    for ply, cell in enumerate(moves):
        board[cell] = "XO"[ply % 2]
    return "".join(board)


@cache
def solved(board: str) -> tuple[int, int]:
    """(1, 0 or −1 for the side to move, plies to the end): plain minimax on strings."""
    if any(board[a] == board[b] == board[c] != "." for a, b, c in LINES):
        return -1, 0
    if "." not in board:
        return 0, 0
    options = [solved(board[:c] + turn(board) + board[c + 1 :]) for c in free(board)]
    value = -min(value for value, _ in options)
    lengths = [plies for v, plies in options if -v == value]
    return value, 1 + (max(lengths) if value < 0 else min(lengths))


def turn(board: str) -> str:
    return "XO"[(9 - board.count(".")) % 2]


def free(board: str) -> list[int]:
    return [cell for cell in range(9) if board[cell] == "."]


def verdicts(board: str) -> Cells:
    cells: Cells = [None] * 9
    for cell in free(board):
        value, plies = solved(board[:cell] + turn(board) + board[cell + 1 :])
        cells[cell] = {"value": {-1: "win", 0: "draw", 1: "loss"}[value], "in": plies + 1}
    return cells


@pytest.mark.parametrize(
    "moves",
    [
        [],
        [4],
        [0],
        [4, 1],
        [0, 1],
        [0, 4, 8],
        [0, 8, 2],
        [0, 3, 1, 4],
        [0, 1, 2, 4, 3, 5, 7],
        [0, 1, 2, 4, 3, 5, 7, 6],
    ],
)
async def test_an_analysis_is_exact(ada: Player, moves: list[int]) -> None:
    room = await ada.create(seats={"X": "me", "O": "me"})
    await play_moves(ada, room, moves)
    answer = await ada.ask("analyse", room=room)
    assert answer["type"] == "analysis"
    assert answer["room"] == room
    assert answer["ply"] == len(moves)
    assert answer["turn"] == turn(board_after(moves))
    assert answer["cells"] == verdicts(board_after(moves))


async def play_moves(player: Player, room: str, moves: list[int]) -> None:
    for ply, cell in enumerate(moves):
        await player.accept("play", room=room, cell=cell, ply=ply)


async def test_a_known_position_is_analysed_as_documented(ada: Player) -> None:
    """X . O / . X . / . . . with O to move: only one corner draws, in six plies."""
    room = await ada.create(seats={"X": "me", "O": "me"})
    await play_moves(ada, room, [4, 2, 0])
    cells = (await ada.ask("analyse", room=room))["cells"]
    assert cells[8] == {"value": "draw", "in": 6}
    assert cells[1] == {"value": "loss", "in": 2}
    assert cells[0] is None


async def test_each_ply_of_a_finished_game_can_be_analysed(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    moves = [0, 3, 1, 4, 2]
    await play_out(room, (ada, bob), moves)
    for player in (ada, eve):  # players too, without following
        for ply in range(len(moves)):
            answer = await player.ask("analyse", room=room, ply=ply)
            assert (answer["type"], answer["ply"]) == ("analysis", ply)
            assert answer["cells"] == verdicts(board_after(moves[:ply]))
        last = await player.ask("analyse", room=room)
        assert (last["ply"], last["turn"], last["cells"]) == (5, None, [None] * 9)


async def test_a_full_board_has_only_nulls(ada: Player) -> None:
    room = await ada.create(seats={"X": "me", "O": "me"})
    await play_moves(ada, room, [0, 1, 2, 4, 3, 5, 7, 6, 8])
    answer = await ada.ask("analyse", room=room)
    assert (answer["turn"], answer["cells"]) == (None, [None] * 9)


async def test_only_spectators_may_analyse_a_running_game(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [4])
    for player in (ada, bob):
        assert await player.reason("analyse", room=room) == "players_may_not"
        assert await player.reason("analyse", room=room, ply=0) == "players_may_not"
        assert await player.reason("analyse", room=room, ply=99) == "players_may_not"
    assert (await eve.ask("analyse", room=room))["turn"] == "O"
    await bob.accept("resign", room=room)
    answer = await ada.ask("analyse", room=room)
    assert (answer["type"], answer["cells"]) == ("analysis", verdicts("....X...."))


async def test_a_player_may_analyse_a_game_against_an_ai(ada: Player) -> None:
    room = await ada.create(seats={"X": "me", "O": {"ai": "easy"}})
    assert (await ada.ask("analyse", room=room))["cells"] == verdicts("." * 9)


@pytest.mark.parametrize("ply", [-1, 2, 9, 10**30])
async def test_a_ply_that_was_not_played_is_stale(ada: Player, ply: int) -> None:
    room = await ada.create(seats={"X": "me", "O": "me"})
    await ada.accept("play", room=room, cell=4, ply=0)
    assert await ada.reason("analyse", room=room, ply=ply) == "stale"


async def test_an_earlier_game_can_be_analysed_by_anybody(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
    await ada.accept("rematch", room=room)
    await bob.accept("rematch", room=room)
    assert await ada.reason("analyse", room=room) == "players_may_not"
    assert await ada.reason("analyse", room=room, game=2) == "players_may_not"

    answer = await ada.ask("analyse", room=room, game=1, ply=4)

    assert (answer["ply"], answer["turn"]) == (4, "X")
    assert answer["cells"] == verdicts(board_after([0, 3, 1, 4]))
    assert (await ada.ask("analyse", room=room, game=1))["turn"] is None
    assert await ada.reason("analyse", room=room, game=1, ply=6) == "stale"
    for game in (0, 3, -1, 10**30):
        assert await ada.reason("analyse", room=room, game=game) == "no_such_game"
