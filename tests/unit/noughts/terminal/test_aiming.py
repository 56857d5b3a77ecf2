"""Choosing a cell, by arrows and by digits."""

from __future__ import annotations

import pytest

from noughts.terminal.aiming import (
    cell_of,
    digits_needed,
    how_to_name,
    name_of,
    nearest,
    read_cell,
    step,
)
from noughts.terminal.board import playable
from tests.support.tables import state_after


def test_the_cursor_begins_in_the_middle_or_next_to_it() -> None:
    assert nearest(state_after("3x3", []), None) == 4
    assert nearest(state_after("3x3", [4]), None) == 1
    assert nearest(state_after("drop", []), None) in playable(state_after("drop", []))
    assert nearest(state_after("3x3", [0, 3, 1, 4, 2]), None) is None


def test_arrows_lead_from_one_free_cell_to_the_next() -> None:
    state = state_after("3x3", [4, 0])

    assert [step(state, 1, way) for way in ("left", "right", "up", "down")] == [3, 2, 1, 7]


@pytest.mark.parametrize(
    ("variant", "moves"),
    [("3x3", [4, 1, 3]), ("5x5", [12, 11, 13, 7, 17]), ("ultimate", [40, 39]), ("drop", [3, 3])],
)
def test_arrows_reach_every_playable_cell(variant: str, moves: list[int]) -> None:
    state = state_after(variant, moves)
    start = nearest(state, None)
    assert start is not None
    reached, fresh = {start}, [start]
    while fresh:
        cell = fresh.pop()
        new = {step(state, cell, way) for way in ("up", "down", "left", "right")} - reached
        reached |= new
        fresh += new

    assert reached == playable(state)


def test_where_marks_fall_only_left_and_right_lead_anywhere() -> None:
    state = state_after("drop", [3, 3])

    assert step(state, 24, "up") == step(state, 24, "down") == 24
    assert step(state, 24, "right") == 39


@pytest.mark.parametrize(
    ("variant", "moves", "text", "cell"),
    [
        ("3x3", [], "5", 4),
        ("3x3", [], " 9 ", 8),
        ("drop", [3], "4", 31),
        ("drop", [3, 3, 3, 3, 3, 3], "4", 3),  # full: its top cell, which is taken
        ("5x5", [], "2 3", 7),
        ("5x5", [], "2,3", 7),
        ("5x5", [], "23", 7),
        ("ultimate", [], "5 1", 30),
        ("ultimate", [40], "1", 30),  # the only board that may be played
        ("ultimate", [40], "5 1", 30),
    ],
)
def test_digits_name_a_cell(variant: str, moves: list[int], text: str, cell: int) -> None:
    assert read_cell(state_after(variant, moves), text) == cell


@pytest.mark.parametrize(
    ("variant", "text"),
    [
        ("3x3", "0"),
        ("3x3", "55"),
        ("3x3", "-1"),
        ("3x3", "x"),
        ("3x3", ""),
        ("3x3", "\u0665"),
        ("drop", "8"),
        ("5x5", "6 1"),
        ("5x5", "3"),
        ("ultimate", "1"),
        ("ultimate", "123"),
    ],
)
def test_other_text_names_none(variant: str, text: str) -> None:
    assert read_cell(state_after(variant, []), text) is None


@pytest.mark.parametrize("variant", ["3x3", "5x5", "drop", "ultimate"])
def test_the_name_of_a_cell_leads_back_to_it(variant: str) -> None:
    state = state_after(variant, [])

    assert all(read_cell(state, name_of(state, cell)) == cell for cell in playable(state))


def test_one_digit_is_enough_where_it_can_mean_one_cell_only() -> None:
    assert digits_needed(state_after("3x3", [])) == digits_needed(state_after("drop", [])) == 1
    assert digits_needed(state_after("5x5", [])) == digits_needed(state_after("ultimate", [])) == 2
    state = state_after("ultimate", [40])
    assert (digits_needed(state), how_to_name(state)) == (1, "1–9 place")
    assert cell_of(state, "9") == 50
