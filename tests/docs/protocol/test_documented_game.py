"""Plays the whole game of docs/protocol.md against a real server, word for word."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.support.dialling import Frame, Player, dialled
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
        shown: dict[str, list[Frame]] = defaultdict(list)
        for who, direction, text in lines:
            if who not in players:
                players[who] = await stack.enter_async_context(dialled(server.ws, hello=False))
            if direction == "→":
                await players[who].socket.send(names.real(text))
            else:
                shown[who].append(await expect(players[who], json.loads(text), names))
        await players["Bo"].until(lambda f: f["type"] == "state" and f["seq"] == 11)
        assert {who: left_out(player, shown[who]) for who, player in players.items()} == {
            "Ada": [4, 5, 6, 7, 8, 9],
            "Bo": [4, 5, 6, 7, "said", 9, 11],
        }


def left_out(player: Player, shown: list[Frame]) -> list[object]:
    """The frames that the text does not show, without those of presence: a state by its number."""
    frames = [f for f in player.seen if f["type"] != "presence" and not any(f is s for s in shown)]
    return [frame.get("seq", frame["type"]) for frame in frames]


async def expect(player: Player, written: Frame, names: Names) -> Frame:
    """Read up to the documented frame. The text may leave out states before it."""
    is_state = written["type"] == "state"
    frame = await player.until(
        lambda f: f["type"] == written["type"] and (not is_state or f["seq"] == written["seq"])
    )
    assert names.agree(written, frame), f"documented {written}\nreceived   {frame}"
    return frame
