"""For programs that talk to Noughts: `noughts.connect`, and the messages on the socket.

What is named here is loaded when it is first used: the server needs none of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noughts.client import Connection, connect
    from noughts.errors import Error, Refused, Unreachable
    from noughts.messages import State
    from noughts.room import Room
    from noughts.sync import connect_sync

__version__ = "0.2.0"
__all__ = [
    "Connection",
    "Error",
    "Refused",
    "Room",
    "State",
    "Unreachable",
    "connect",
    "connect_sync",
]

_HOMES = {
    "Connection": "client",
    "Error": "errors",
    "Refused": "errors",
    "Room": "room",
    "State": "messages",
    "Unreachable": "errors",
    "connect": "client",
    "connect_sync": "sync",
}


if not TYPE_CHECKING:  # a type checker is to find names that do not exist

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'noughts' has no attribute {name!r}")
        return getattr(import_module(f"noughts.{_HOMES[name]}"), name)
