"""Plays the whole game of docs/protocol.md against a real server, word for word."""

from __future__ import annotations

import json
import re
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.support.dialling import Player, dialled
from tests.support.serving import ROOT, serving

LINE = re.compile(r"    (\w+) +([→←]) (\{.*\})$", re.MULTILINE)
OURS = {"room", "token", "id", "player", "version"}  # values that differ between servers


class Names:
    """Maps generated values in the text to real ones; the first occurrence decides."""

    def __init__(self) -> None:
        self._real: dict[str, str] = {}

    def real(self, text: str) -> str:
        for written, real in self._real.items():
            text = text.replace(written, real)
        return text

    def agree(self, written: Any, real: Any, key: str = "") -> bool:
        """Whether two values are equal, apart from generated ids and times."""
        if isinstance(written, dict) and isinstance(real, dict):
            return written.keys() == real.keys() and all(
                self.agree(written[name], real[name], name) for name in written
            )
        if isinstance(written, list) and isinstance(real, list):
            return len(written) == len(real) and all(map(self.agree, written, real))
        if key == "now":
            return isinstance(real, int)
        if key in OURS and isinstance(written, str):
            return bool(self._real.setdefault(written, real) == real)
        return bool(written == real)


async def test_the_documented_game_is_what_a_real_server_plays(tmp_path: Path) -> None:
    lines = LINE.findall((ROOT / "docs/protocol.md").read_text())
    assert len(lines) > 30
    names = Names()
    async with serving(tmp_path) as server, AsyncExitStack() as stack:
        players: dict[str, Player] = {}
        for who, direction, text in lines:
            if who not in players:
                players[who] = await stack.enter_async_context(dialled(server.ws, hello=False))
            if direction == "→":
                await players[who].socket.send(names.real(text))
            else:
                await expect(players[who], json.loads(text), names)


async def expect(player: Player, written: dict[str, Any], names: Names) -> None:
    """Read up to the documented frame. The text may leave out states before it."""
    is_state = written["type"] == "state"
    frame = await player.until(
        lambda f: f["type"] == written["type"] and (not is_state or f["seq"] == written["seq"])
    )
    assert names.agree(written, frame), f"documented {written}\nreceived   {frame}"
