"""Games, levels, openings and names that do not exist, do not fit or are no such thing."""

from __future__ import annotations

from tests.ordeals.hostile.arena import Attack
from tests.ordeals.hostile.catalogue import Group
from tests.ordeals.hostile.game_order import asking
from tests.support.bare import text

group = Group(__name__)

MALFORMED = "malformed"


def refused(name: str, reason: str, type: str, /, **fields: object) -> None:
    group.add(name, f"it is refused as {reason}", asking(reason, type, **fields))


# ------------------------------------------------------------------------------------ openings

# The cells are taken in turn, and nobody has three of them in a row.
ROUND = [0, 1, 4, 3, 7, 8, 2, 6]


def begins(name: str, reason: str, moves: object, variant: str = "3x3") -> None:
    refused(f"begins {name}", reason, "create", variant=variant, moves=moves)


begins("on cell 9", "no_such_cell", [9])
begins("on cell -1", "no_such_cell", [4, -1])
begins("on cell 2^64, which is 0 to some", "no_such_cell", [2**64])
begins("on a cell of 3000 digits", "no_such_cell", [10**3000])
begins("on cell 42 of drop four", "no_such_cell", [42], "drop")
begins("on cell 81 of ultimate", "no_such_cell", [81], "ultimate")
begins("twice on a cell", "cell_taken", [4, 4])
begins("on a cell a thousand times", "cell_taken", [0] * 1_000)
begins("on a mark that is about to vanish", "cell_taken", [*ROUND[:6], 0], "vanishing")
begins("in the air", "not_playable", [38, 24], "drop")
begins("on a column that is full", "cell_taken", [38, 31, 24, 17, 10, 3, 3], "drop")
begins("on another board than it is sent to", "not_playable", [40, 0], "ultimate")
begins("with a game that is won", "game_over", [0, 3, 1, 4, 2])
begins("with a game that is lost", "game_over", [0, 3, 1, 4, 2], "reverse")
begins("with a game that is drawn", "game_over", [0, 1, 2, 4, 3, 5, 7, 6, 8])
begins("with a move after the end", "game_over", [0, 3, 1, 4, 2, 5])
begins("with nonsense after the end", "game_over", [0, 3, 1, 4, 2, -1])
begins("with all hundred moves of vanishing", "game_over", (ROUND * 13)[:100], "vanishing")
begins("with a thousand moves of vanishing", "game_over", ROUND * 125, "vanishing")
begins("with null", MALFORMED, None)
begins("with a number", MALFORMED, 4)
begins("with a text", MALFORMED, "4,0,8")
begins("with an object", MALFORMED, {"0": 4})
begins("with a list of texts", MALFORMED, ["4"])
begins("with true", MALFORMED, [True])
begins("with 4.0", MALFORMED, [4.0])
begins("with null in a list", MALFORMED, [4, None])
begins("with a list in a list", MALFORMED, [[4]])


@group.case("begins with more moves than a command may have", "it is closed with 1009")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(text({"type": "create", "variant": "ultimate", "moves": [80] * 100_000}))
        assert await peer.closed() == 1009


# -------------------------------------------------------------------------- games and levels

UNKNOWN = ("", "4x4", "3X3", "Drop", " drop", "drop\0", "__class__", "d" * 3000)
for variant in UNKNOWN:
    told = repr(variant[:20])
    refused(f"opens {told}", "no_such_variant", "create", variant=variant)
    refused(f"would play {told}", "no_such_variant", "quick", on=True, variant=variant)
for wrong in (None, 3, True, ["3x3"], {"rows": 3, "columns": 3, "line": 1}):
    refused(f"opens {wrong}", MALFORMED, "create", variant=wrong)
    refused(f"would play {wrong}", MALFORMED, "quick", on=True, variant=wrong)

for variant, level in (
    ("3x3", "best"), ("reverse", "best"), ("vanishing", "best"), ("5x5", "best"),
    ("drop", "perfect"), ("ultimate", "perfect"), ("drop", "HARD"), ("5x5", ""),
):  # fmt: skip
    refused(
        f"opens {variant} with an AI at {level!r}", "no_such_level", "create",
        variant=variant, seats={"X": "me", "O": {"ai": level}},
    )  # fmt: skip
refused("seats a perfect AI at drop four", "no_such_level", "seat_ai",
        room="@drop", seat="X", level="perfect")  # fmt: skip
refused("seats the best AI at vanishing", "no_such_level", "seat_ai",
        room="@vanishing", seat="X", level="best")  # fmt: skip

refused("plays in the air", "not_playable", "play", room="@drop", cell=0, ply=1)
refused("plays on a mark in drop four", "cell_taken", "play", room="@drop", cell=38, ply=1)
refused("plays beside the drop board", "no_such_cell", "play", room="@drop", cell=42, ply=1)
refused("plays on a board of its choice", "not_playable", "play", room="@ultimate", cell=0, ply=1)
refused("plays beside the ultimate board", "no_such_cell", "play", room="@ultimate", cell=81, ply=1)
refused("plays where a mark will vanish", "cell_taken", "play", room="@vanishing", cell=3, ply=7)

# --------------------------------------------------------------------------------- names

for seat in (
    None, 7, "", "Mia", "ME", ["me"], {}, {"me": None}, {"me": 7}, {"me": ["Mia"]},
    {"me": "Mia", "ai": "easy"}, {"me": "Mia", "id": "ada"}, {"open": True}, {"ai": None},
):  # fmt: skip
    refused(f"takes the seat {seat}", MALFORMED, "create", seats={"X": seat, "O": "me"})
refused("takes one seat of two", MALFORMED, "create", seats={"X": {"me": "Mia"}})
refused("takes a third seat", MALFORMED, "create", seats={"X": "me", "O": "me", "Z": "me"})
for name in (None, 7, True, ["Mia"], {"first": "Mia"}):
    refused(f"sits down as {name}", MALFORMED, "sit", room="@waiting", seat="O", name=name)
refused("sits on another as them", "seat_taken", "sit", room="@victim", seat="X", name="Vic")


@group.case("takes both seats under names like bombs", "they are cleaned, and cut", opens=1)
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        seats = {"X": {"me": "M\0ia\u202e" + "x" * 3000}, "O": {"me": "\u200b\u3164"}}
        made = await peer.ask("create", seats=seats)
        assert made["type"] == "accepted", made
        while (state := await peer.heard())["type"] != "state":
            pass
        names = [state["seats"][mark]["name"] for mark in "XO"]
        assert names == ["Mia" + "x" * 21, peer.welcome["player"]["name"]]


# --------------------------------------------------------------------------- earlier games

for game in (0, -1, 2, 2**64, 10**3000):
    told = str(game)[:20]
    refused(f"looks up game {told}", "no_such_game", "analyse", room="@over", game=game)
for odd in (None, "1", 1.0, True, [1]):
    refused(f"looks up game {odd!r}", MALFORMED, "analyse", room="@over", game=odd)
refused("looks up too late a move", "stale", "analyse", room="@over", game=1, ply=6)
refused("looks up a move before the first", "stale", "analyse", room="@over", game=1, ply=-1)
refused("looks its own game up by number", "players_may_not", "analyse", room="@mine", game=1)
refused("looks up a game of no room", "no_such_room", "analyse", room="A" * 16, game=1)
