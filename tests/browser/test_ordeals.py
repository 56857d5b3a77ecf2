"""Each browser ordeal once, where the tests beside this file do not cover it.

A reload, and a server killed in mid-game, are in `test_rooms.py` and `test_connection.py`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.ordeals.torture.browsers import (
    Scene,
    closed_tab,
    cut,
    dead_line,
    restart,
    scene,
    two_tabs,
)
from tests.ordeals.torture.school import lesson
from tests.support.serving import serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def people(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Scene]:
    async with scene(browser, tmp_path_factory.mktemp("ordeals")) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def it(people: Scene) -> Scene:
    await people.sit_down()
    return people


async def test_a_tab_closed_and_opened_again_shows_what_happened_meanwhile(it: Scene) -> None:
    await closed_tab(it)


async def test_two_tabs_of_one_player_see_each_others_moves(it: Scene) -> None:
    await two_tabs(it)


async def test_pages_reconnect_by_themselves_after_a_restart(it: Scene) -> None:
    await restart(it)


async def test_a_page_that_lost_its_connection_shows_what_happened_meanwhile(it: Scene) -> None:
    await cut(it)


async def test_the_page_notices_a_dead_connection_says_so_and_reconnects(it: Scene) -> None:
    await dead_line(it)


async def test_a_class_behind_one_address_is_refused_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    async with serving(tmp_path, ai_pause=50) as served:
        await lesson(browser, served.url, 6)
