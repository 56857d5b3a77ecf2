"""The names and rules of the games."""

from __future__ import annotations

import re

import pytest

from noughts.games import GAMES, game_name, game_rule
from server.core.rules import VARIANTS
from tests.support.serving import ROOT


def test_every_game_has_a_name_and_a_rule_and_no_other_has() -> None:
    assert GAMES.keys() == VARIANTS.keys()
    assert (game_name("drop"), game_rule("drop")) == GAMES["drop"]
    assert (game_name("7x7"), game_rule("7x7")) == ("7x7", "")


@pytest.mark.parametrize("variant", GAMES)
def test_the_page_calls_it_by_the_same_name(variant: str) -> None:
    words = (ROOT / "client/words/en.js").read_text(encoding="utf-8")
    assert re.search(
        rf"^  '?{variant}'?: \{{\n    name: '{game_name(variant)}',$", words, re.MULTILINE
    )
