"""Tokens, the ids derived from them, and names that are safe to show."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server import identity
from server.core.commands import AI_PLAYER
from server.core.events import PlayerId
from server.identity import Token

TOKEN = Token("A" * 43)
# This token must be this player in every version.
PLAYER = PlayerId("GH7s6tWhcCaqxYdU")
names = st.text(st.characters(exclude_categories=[]))


def test_a_token_is_43_characters_of_base64url_and_never_the_same() -> None:
    tokens = {identity.new_token() for _ in range(100)}

    assert len(tokens) == 100
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", token) for token in tokens)


def test_no_command_takes_a_room_id_for_an_option() -> None:
    ids = [identity.new_room_id() for _ in range(1_000)]
    ids += [identity.room_id_for(PLAYER, str(number)) for number in range(1_000)]

    assert not any(id.startswith("-") for id in ids)


def test_room_ids_are_short_fit_a_url_and_are_never_the_same() -> None:
    rooms = {identity.new_room_id() for _ in range(100)}

    assert len(rooms) == 100
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{16}", room) for room in rooms)


def test_the_id_of_a_token_is_the_same_in_every_version() -> None:
    assert identity.player_id(TOKEN) == PLAYER
    assert identity.room_id_for(PLAYER, "first") == "Aj_EuXrRfiBJuI3V"


def test_an_id_reveals_nothing_of_its_token_and_is_never_the_ais() -> None:
    ids = {identity.player_id(identity.new_token()) for _ in range(100)}

    assert len(ids) == 100
    assert AI_PLAYER not in ids
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{16}", id) for id in ids)
    assert identity.player_id(TOKEN) not in TOKEN


def test_a_nonce_names_one_room_of_one_player() -> None:
    ada, bo = PlayerId("ada"), PlayerId("bo")

    assert identity.room_id_for(ada, "n") == identity.room_id_for(ada, "n")
    rooms = {
        identity.room_id_for(ada, "n"),
        identity.room_id_for(ada, "m"),
        identity.room_id_for(bo, "n"),
        identity.room_id_for(PlayerId("adan"), ""),
        identity.room_id_for(ada, ""),
        identity.room_id_for(ada, "\ud800"),
    }
    assert len(rooms) == 6


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Ada", "Ada"),
        ("  Ada \t\n Lovelace ", "Ada Lovelace"),
        ("e\u0301", "é"),
        ("A\u202eda\u2066\u200b\u200d\ufeff\x00\x1b", "Ada"),
        ("x" * 30, "x" * 24),
        ("x" * 23 + "  y", "x" * 23),
        ("\u3164\u2800\u115f\u00ad", ""),
        ("\ud800Ada", "Ada"),
        ("<b>Ada</b>", "<b>Ada</b>"),
        ("Ada 🦊", "Ada 🦊"),
        ("", ""),
    ],
)
def test_a_name_is_shown_without_characters_that_disturb_the_text(given: str, shown: str) -> None:
    assert identity.clean_name(given) == shown


def test_a_name_of_nothing_but_variation_selectors_is_cleaned_to_nothing() -> None:
    assert identity.clean_name("\ufe0f\ufe00") == ""


@settings(deadline=None)
@given(names)
def test_a_shown_name_is_short_and_visible_in_nfc(name: str) -> None:
    shown = identity.clean_name(name)

    assert len(shown) <= 24
    assert shown == shown.strip()
    assert not any(unicodedata.category(character)[0] == "C" for character in shown)
    shown.encode()


@settings(deadline=None)
@given(names)
def test_a_shown_name_sent_back_is_shown_the_same(name: str) -> None:
    shown = identity.clean_name(name)

    assert identity.clean_name(shown) == shown


def test_a_name_is_still_nfc_after_invisible_characters_are_removed() -> None:
    assert identity.clean_name("e\u200b\u0301") == "é"


@pytest.mark.parametrize("name", [None, "", " \u200b ", "\u202e"])
def test_a_player_without_a_name_gets_a_friendly_one_and_keeps_it(name: str | None) -> None:
    person = identity.person(TOKEN, name)

    assert person.id == PLAYER
    assert re.fullmatch(r"[A-Z][a-z]+ [A-Z][a-z]+", person.name)
    assert identity.person(TOKEN, None) == person
    assert identity.person(TOKEN, "Ada").name == "Ada"


def test_friendly_names_are_many_and_fit() -> None:
    given = {identity.friendly_name(PlayerId(str(number))) for number in range(2_000)}

    assert len(given) > 300
    assert max(map(len, given)) <= 24
    assert all(identity.clean_name(name) == name for name in given)
