"""The list of public rooms, from a complete frame and then from changes."""

from __future__ import annotations

from noughts.lobby import Listing
from noughts.messages import LobbyFrame
from noughts.shapes import ListedHuman, ListedRoom, ListedSeats, OpenSeat


def listed(id: str, watchers: int = 0) -> ListedRoom:
    seats = ListedSeats(ListedHuman("Ada"), OpenSeat())
    return ListedRoom(id, "3x3", 1, "." * 9, "waiting", None, seats, watchers, 1)


def test_changes_are_folded_into_the_list() -> None:
    listing = Listing()
    listing.take(LobbyFrame(True, [listed("a"), listed("b")], []))
    listing.take(LobbyFrame(False, [listed("c"), listed("a", watchers=5)], ["b"]))
    assert listing.newest.value == [listed("a", watchers=5), listed("c")]

    listing.take(LobbyFrame(True, [listed("d")], []))
    assert listing.newest.value == [listed("d")]


def test_changes_of_a_list_that_is_not_known_are_ignored() -> None:
    listing = Listing()
    listing.take(LobbyFrame(False, [listed("a")], []))

    assert listing.newest.value is None
