"""What the games are called, and the rule of each in a sentence."""

from __future__ import annotations

GAMES = {
    "3x3": ("Classic Three", "Three in a row win."),
    "reverse": ("Three Loses", "Whoever makes three in a row loses."),
    "vanishing": ("Vanishing Three", "Three marks each. A fourth rubs out your oldest."),
    "5x5": ("Four on Five", "Four in a row on a five-by-five board."),
    "drop": ("Drop Four", "Marks fall down. Four in a row win."),
    "ultimate": ("Ultimate Nine", "Nine boards in one. Your place picks their board."),
}


def game_name(variant: str) -> str:
    return GAMES.get(variant, (variant, ""))[0]


def game_rule(variant: str) -> str:
    return GAMES.get(variant, ("", ""))[1]
