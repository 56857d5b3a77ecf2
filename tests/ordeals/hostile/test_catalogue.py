"""Every case of the hostile catalogue once, in the order of the source."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.ordeals.hostile.arena import SETTINGS, Arena, arena
from tests.ordeals.hostile.catalogue import GROUPS, Case, catalogue, endure, steps

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.0/8 is not all there"),
]

Arenas = dict[str, Arena]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def arenas(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Arenas]:
    folder = tmp_path_factory.mktemp("hostile")
    async with arena(folder, "limited") as limited, arena(folder, "lifted") as lifted:
        yield {"limited": limited, "lifted": lifted}


def name_of(step: list[Case]) -> str:
    return str(step[0]) if len(step) == 1 else f"{len(step)} that take seconds, at once"


@pytest.mark.parametrize("step", steps(catalogue()), ids=name_of)
async def test_the_server_reacts_as_documented_and_nobody_else_notices(
    arenas: Arenas, step: list[Case]
) -> None:
    await endure(arenas[step[0].settings], *step)


async def test_the_catalogue_has_at_least_sixty_cases_and_some_in_every_group() -> None:
    cases = catalogue()
    count = Counter(case.group for case in cases)
    assert len({(case.group, case.name) for case in cases}) == len(cases) >= 60
    assert set(count) == set(GROUPS)
    assert {case.settings for case in cases} == set(SETTINGS)
