"""Choosing what to play, and remembering it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from noughts.terminal.choice import Choice, Menu, Offer, keep, recall, state_folder
from tests.support.tables import drawing, seen

LEVELS = {
    "3x3": ("gentle", "easy", "medium", "hard", "perfect"),
    "drop": ("gentle", "easy", "medium", "hard", "best"),
}
OFFER = Offer(("computer", "friend", "anyone", "here"), LEVELS)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "noughts"


def test_a_menu_shows_the_choice_and_what_it_means() -> None:
    assert seen(Menu(OFFER, Choice()).draw(40, 20)) == drawing("""
        Noughts

        ▸ Game     ‹ Classic Three ›
          Against    the computer
          Level      Medium
          Side       X, you begin

        Three in a row win.

        Enter play · arrows change · q quit
    """)


def test_arrows_change_the_choice() -> None:
    menu = Menu(OFFER, Choice(level="perfect"))
    for key in ("right", "down", "left", "down", "x"):
        menu = menu.press(key)

    # Against somebody here, there is neither a level nor a side to choose.
    assert menu.choice == Choice("drop", "here", "best", "X")
    assert OFFER.rows(menu.choice) == ["variant", "against"]
    assert menu.row == "variant"


def test_what_is_not_on_offer_becomes_what_is() -> None:
    assert OFFER.fit(Choice("chess", "nobody", "genius", "Z")) == Choice(
        "3x3", "computer", "gentle", "X"
    )


def test_the_last_choice_is_kept(folder: Path) -> None:
    assert recall() == Choice()
    keep(Choice("drop", "here", "hard", "O"))

    assert recall() == Choice("drop", "here", "hard", "O")
    assert state_folder() == folder


@pytest.mark.parametrize("text", ["", "{", "[]", '{"variant": 3}', '{"colour": "red"}', "\x00"])
def test_a_damaged_file_is_the_first_choice(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "choice.json").write_text(text)

    assert recall() == Choice()


def test_a_folder_that_cannot_be_written_is_no_harm(folder: Path) -> None:
    folder.write_text("in the way")
    keep(Choice())

    assert recall() == Choice()
    assert json.loads(json.dumps(folder.read_text())) == "in the way"
