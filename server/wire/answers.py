"""Which answers each command can get, as docs/protocol.md has them.

For the metrics: a count that exists from the start at 0 shows its first rise.

>>> [reason.value for reason in reasons_of("rematch") if reason not in COMMON]
['no_such_room', 'not_seated', 'game_not_over', 'stale']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from noughts.messages import InRoom, Request
from server.core.commands import Reason

COMMON = (Reason.MALFORMED, Reason.HELLO_FIRST, Reason.TOO_FAST, Reason.RETRY, Reason.DRAINING)
OWN: Mapping[str, Sequence[Reason]] = {
    "hello": (Reason.UNSUPPORTED_PROTOCOL,),
    "create": (
        Reason.NO_SUCH_VARIANT,
        Reason.NO_SUCH_LEVEL,
        Reason.TOO_MANY_ROOMS,
        Reason.NO_SUCH_CELL,
        Reason.CELL_TAKEN,
        Reason.NOT_PLAYABLE,
        Reason.GAME_OVER,
    ),
    "watch": (Reason.TOO_MANY_ROOMS,),
    "sit": (Reason.SEAT_TAKEN, Reason.TOO_MANY_ROOMS),
    "leave": (Reason.NOT_SEATED,),
    "seat_ai": (Reason.SEAT_TAKEN, Reason.NO_SUCH_LEVEL, Reason.NOT_SEATED),
    "dismiss_ai": (Reason.NOT_SEATED,),
    "play": (
        Reason.NOT_SEATED,
        Reason.GAME_OVER,
        Reason.WAITING,
        Reason.STALE,
        Reason.NOT_YOUR_TURN,
        Reason.NO_SUCH_CELL,
        Reason.CELL_TAKEN,
        Reason.NOT_PLAYABLE,
    ),
    "resign": (Reason.NOT_SEATED, Reason.GAME_OVER, Reason.WAITING, Reason.STALE),
    "rematch": (Reason.NOT_SEATED, Reason.GAME_NOT_OVER, Reason.STALE),
    "claim": (
        Reason.NOT_SEATED,
        Reason.GAME_OVER,
        Reason.WAITING,
        Reason.TOO_EARLY,
        Reason.STALE,
    ),
    "say": (Reason.NOT_HERE, Reason.NO_SUCH_PHRASE),
    "quick": (Reason.NO_SUCH_VARIANT,),
    "meet": (Reason.STALE, Reason.TOO_MANY_ROOMS),
    "analyse": (Reason.PLAYERS_MAY_NOT, Reason.NO_SUCH_GAME, Reason.STALE),
}
COMMANDS = {str(kind.__struct_config__.tag): kind for kind in get_args(Request)}


def reasons_of(command: str) -> list[Reason]:
    """Every reason for which this command can be refused."""
    in_room = [Reason.NO_SUCH_ROOM] if issubclass(COMMANDS[command], InRoom) else []
    return [*COMMON, *in_room, *OWN.get(command, ())]
