"""The catalogue: each case is one thing a hostile peer does, and the documented reaction.

In every case: no room changes, the server logs no traceback and at most one line, all connections
of the attack end, and a game on the same server goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random

from tests.ordeals.hostile.arena import SETTINGS, Arena, Attack, arena
from tests.ordeals.torture import Figures

GROUPS = (
    "handshakes",
    "framing",
    "identities",
    "json_types",
    "names",
    "game_order",
    "variants",
    "looking_back",
    "floods",
    "slowness",
    "endings",
)
LONGEST = 90.0  # seconds for one case; only a hang takes so long

Act = Callable[[Attack], Awaitable[None]]


@dataclass(frozen=True)
class Case:
    """`name` is what the peer does, `reaction` what the server does about it.

    `opens`: how many rooms it opens, as it may. `slow`: it takes seconds.
    """

    group: str
    name: str
    reaction: str
    act: Act
    settings: str = "limited"
    slow: bool = False
    opens: int = 0

    def __str__(self) -> str:
        return f"{self.group}: {self.name}: {self.reaction}"


class Group:
    """Registers the cases of one file."""

    def __init__(self, name: str) -> None:
        self.name = name.rpartition(".")[2]
        self.cases: list[Case] = []

    def add(self, name: str, reaction: str, act: Act, **rest: object) -> None:
        self.cases.append(Case(self.name, name, reaction, act, **rest))  # type: ignore[arg-type]

    def case(self, name: str, reaction: str, **rest: object) -> Callable[[Act], Act]:
        def register(act: Act) -> Act:
            self.add(name, reaction, act, **rest)
            return act

        return register


def catalogue() -> list[Case]:
    """All cases of all groups."""
    modules = [import_module(f"tests.ordeals.hostile.{group}") for group in GROUPS]
    return [case for module in modules for case in module.group.cases]


def steps(cases: list[Case]) -> list[list[Case]]:
    """Cases one by one, except that slow cases with the same settings run at the same time."""
    slow = [[case for case in cases if case.slow and case.settings == name] for name in SETTINGS]
    return [[case] for case in cases if not case.slow] + [together for together in slow if together]


async def endure(place: Arena, *cases: Case) -> int:
    """Run the cases, check everything that must not change, and return the number of log lines."""
    before = await place.sight()
    async with place.neighbours.playing():
        attacks = [_happens(case, place.attack()) for case in cases]
        problems = await asyncio.gather(*attacks, return_exceptions=True)
        for problem in filter(None, problems):
            raise problem
        await place.calm()
    after = await place.sight()
    assert before.rooms.items() <= after.rooms.items(), "a room has changed"
    assert after.shown == before.shown, "a room looks different"
    assert after.told == before.told, f"the victims were told: {place.told[before.told :]}"
    opened = len(after.rooms) - len(before.rooms)
    assert opened == sum(case.opens for case in cases), f"{opened} rooms were opened"
    lines = after.log[len(before.log) :].splitlines(keepends=True)
    written = "".join(line for line in lines if "turned away in the last minute" not in line)
    assert "Traceback" not in written, written
    assert written.count("\n") <= len(cases), written
    return written.count("\n")


async def _happens(case: Case, attack: Attack) -> None:
    try:
        await asyncio.wait_for(case.act(attack), LONGEST)
    except Exception as problem:
        raise AssertionError(f"{case}: {problem!r}") from problem


async def ordeal(folder: Path, amount: int) -> Figures:
    """The whole catalogue, shuffled, `amount` times."""
    dice, cases = Random(amount), catalogue()
    lines = 0
    async with AsyncExitStack() as stack:
        places = {name: await stack.enter_async_context(arena(folder, name)) for name in SETTINGS}
        for _ in range(amount):
            for step in dice.sample(shuffled := steps(cases), len(shuffled)):
                lines += await endure(places[step[0].settings], *step)
        beside = [place.neighbours for place in places.values()]
    return {
        "cases": len(cases),
        "runs as stated": amount * len(cases),
        "moves beside them": sum(game.moves for game in beside),
        "slowest of these": f"{1000 * max(game.slowest for game in beside):.0f} ms",
        "log lines": lines,
    }
