"""Who should ask whom, as every node works it out for itself."""

from __future__ import annotations

from random import Random

from server.core.events import Person, PlayerId
from server.live.guests import Guest, choose


def guest(key: str, since: int, variant: str = "3x3", partner: str | None = None) -> Guest:
    return Guest(key, Person(PlayerId(key), key), variant, since, partner)


def test_guests_are_paired_in_the_order_of_their_arrival_whatever_the_order_of_the_list() -> None:
    guests = [guest(key, since) for since, key in enumerate("dacbe")]
    expected = {"d": "a", "a": "d", "c": "b", "b": "c"}

    for seed in range(20):
        Random(seed).shuffle(guests)
        assert choose(guests) == expected


def test_two_guests_who_have_chosen_each_other_are_left_alone() -> None:
    pair = [guest("a", 1, partner="c"), guest("c", 3, partner="a")]

    assert choose([*pair, guest("b", 2), guest("d", 4)]) == {"b": "d", "d": "b"}


def test_a_choice_that_is_not_returned_binds_nobody() -> None:
    ring = [guest("a", 1, partner="b"), guest("b", 2, partner="c"), guest("c", 3, partner="a")]

    assert choose(ring) == {"a": "b", "b": "a"}


def test_guests_are_paired_within_a_game() -> None:
    assert choose([guest("a", 1), guest("b", 2, "drop"), guest("c", 3)]) == {"a": "c", "c": "a"}
