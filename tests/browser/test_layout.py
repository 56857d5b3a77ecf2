"""The board is wholly visible on every screen, in every game and state, and nothing moves it.

Every state is visited in two games, and home is read slowly on every third screen. With LONG=1 it
is all six games and all screens.
"""

from __future__ import annotations

import os

import pytest
from playwright.async_api import ViewportSize, expect

from tests.browser.people import GAMES, WON, Invite, Visitor, forgive, play_in_turn
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIZES: tuple[ViewportSize, ...] = (
    {"width": 360, "height": 640},
    {"width": 390, "height": 844},
    {"width": 844, "height": 390},
    {"width": 820, "height": 1180},
    {"width": 1280, "height": 800},
    {"width": 1920, "height": 1080},
    {"width": 640, "height": 400},  # a window of 1280 × 800 at 200 %
)
LONG_NAME = "Wolfeschlegelsteinhausen"
# The board with everything that belongs to it: left, top, right and bottom.
BOARD = """() => {
    const board = document.querySelector('main:not([hidden]) .board');
    const drawn = [board, ...board.querySelectorAll(':scope > svg')];
    const boxes = drawn.map((each) => each.getBoundingClientRect());
    return [
        Math.min(...boxes.map((box) => box.left + scrollX)),
        Math.min(...boxes.map((box) => box.top + scrollY)),
        Math.max(...boxes.map((box) => box.right + scrollX)),
        Math.max(...boxes.map((box) => box.bottom + scrollY)),
    ];
}"""
PRIMARY = "[...document.querySelectorAll('.main')].filter((each) => each.checkVisibility()).length"
WIDE = "[document.documentElement.scrollWidth, innerWidth]"
NEARLY_NOTHING = 0.002  # of layout shift, of which 0.1 counts as good; usually it is 0
Places = list[list[float]]
LONG = os.environ.get("LONG")
SHAPES = list(GAMES) if LONG else ["3x3", "drop"]


async def places(visitor: Visitor, state: str) -> Places:
    """Where the board is on every screen: wholly visible, with at most one primary button."""
    found: Places = []
    for size in SIZES:
        about = f"{state} at {size['width']}×{size['height']}"
        await visitor.page.set_viewport_size(size)
        left, top, right, bottom = await visitor.page.evaluate(BOARD)
        assert min(left, top) >= 0, about
        assert right <= size["width"], about
        assert bottom <= size["height"], f"{about}: {bottom}"
        wide, inner = await visitor.page.evaluate(WIDE)
        assert wide <= inner, about
        assert await visitor.page.evaluate(PRIMARY) <= 1, about
        found.append([left, top, right, bottom])
    return found


async def test_the_first_screen_shows_a_whole_board_of_every_game(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.visit(server.url, "home")
    for game in GAMES.values():
        await ada.choose(game)
        await places(ada, f"home, {game}")
    await ada.open_room(server.url)
    await ada.visit(server.url, "home")
    await expect(ada.page.get_by_role("link", name="Resume")).to_be_visible()
    await places(ada, "home with a game to resume")


@pytest.mark.parametrize("variant", SHAPES)
async def test_the_board_is_whole_in_every_state_and_stays_where_it_is(
    invite: Invite, server: Served, variant: str
) -> None:
    moves, *_ = WON[variant]
    ada, bo, cy = [await invite(name, reduced_motion="reduce") for name in ("Ada", LONG_NAME, "Cy")]
    link = await ada.open_room(server.url, game=GAMES[variant])
    at = await places(ada, "waiting for a friend")
    await bo.visit(link, "room")
    assert await places(bo, "invited") == at
    await bo.offer("sit").click()
    await ada.is_told("Your turn")
    assert await places(ada, "my turn") == at
    await bo.cell(moves[1]).click()
    await expect(bo.page.get_by_role("button", name="Rub it out")).to_be_visible()
    assert await places(bo, "a pencilled move") == at
    await play_in_turn(ada, bo, moves[:1])
    await bo.is_told("Waiting for Ada…")
    await ada.is_told("Your turn")

    await cy.visit(link, "room")
    await expect(ada.part("crowd")).to_be_visible()
    assert await places(ada, "somebody watches") == at
    assert await places(cy, "watching") == at
    await cy.page.get_by_role("button", name="Show values").click()
    await expect(cy.page.get_by_role("button", name="Hide values")).to_be_visible()
    assert await places(cy, "watching with values") == at
    await cy.page.get_by_role("button", name="Say").click()
    await cy.page.get_by_role("button", name="Good luck!").click()
    await expect(ada.part("heard")).to_contain_text("Good luck!")
    assert await places(ada, "somebody says something") == at

    await ada.context.set_offline(True)
    await expect(ada.part("line-note")).to_be_visible()
    assert await places(ada, "without a line") == at
    await ada.context.set_offline(False)
    await expect(ada.part("line-note")).to_be_hidden()

    await bo.ask_menu("leave")
    await ada.is_told(f"{LONG_NAME} has left")
    assert await places(ada, "the other one has left") == at
    assert await places(cy, "a place is free") == at
    await bo.visit(link, "room")
    await bo.page.get_by_role("button", name="Play as O").click()
    await ada.is_told("Your turn")
    assert await places(ada, "somebody sits down") == at

    await play_in_turn(ada, bo, moves[2:])
    for visitor in (ada, bo, cy):
        await expect(visitor.part("result")).to_be_visible()
        assert await places(visitor, "the end") == at
    await bo.offer("rematch").click()
    await expect(ada.part("again")).to_contain_text("wants another")
    for visitor in (ada, bo):
        assert await places(visitor, "a rematch is asked") == at
    await cy.page.get_by_role("button", name="Review").click()
    await expect(cy.part("review")).to_be_visible()
    await places(cy, "looking back")
    await ada.offer("rematch").click()
    await bo.is_told("Your turn")
    assert await places(ada, "the next game") == at
    forgive(ada)


SHIFTS = """
    window.shifts = [];
    new PerformanceObserver((list) => {
        for (const { value, startTime, hadRecentInput, sources } of list.getEntries()) {
            const moved = sources.map(({ node, previousRect: was, currentRect: is }) =>
                [node?.cloneNode(false).outerHTML, node?.textContent.trim(),
                    was.x, was.y, was.width, was.height,
                    'to', is.x, is.y, is.width, is.height].join(' '));
            if (!hadRecentInput) window.shifts.push([value, startTime, ...moved]);
        }
    }).observe({ type: 'layout-shift', buffered: true });
"""
TRICKLE = {"offline": False, "latency": 0, "downloadThroughput": 15_000, "uploadThroughput": -1}


async def sees_no_shift(visitor: Visitor) -> None:
    shifts = await visitor.page.evaluate("window.shifts")
    assert sum(value for value, *_ in shifts) < NEARLY_NOTHING, "\n".join(map(str, shifts))


@pytest.mark.parametrize("size", SIZES if LONG else SIZES[::3], ids=str)
async def test_nothing_shifts_while_home_is_still_being_read(
    invite: Invite, server: Served, size: ViewportSize
) -> None:
    ada = await invite("Ada", viewport=size)
    await ada.open_room(server.url)  # so there is a game to resume
    await ada.page.add_init_script(SHIFTS)
    await ada.visit(server.url, "home")  # now all but the page is in the cache
    await sees_no_shift(ada)

    session = await ada.context.new_cdp_session(ada.page)
    await session.send("Network.emulateNetworkConditions", TRICKLE)
    await ada.visit(f"{server.url}/?new", "home")
    await expect(ada.page.get_by_role("link", name="Resume")).to_be_visible()
    await sees_no_shift(ada)


@pytest.mark.parametrize("size", [SIZES[0], SIZES[1], SIZES[2], SIZES[4]], ids=str)
async def test_nothing_shifts_from_the_first_screen_to_the_second_game(
    invite: Invite, server: Served, size: ViewportSize
) -> None:
    ada, bo, cy = [await invite(name, viewport=size) for name in ("Ada", "Bo", "Cy")]
    for visitor in (ada, bo, cy):
        await visitor.page.add_init_script(SHIFTS)
    link = await ada.open_room(server.url, public=True)
    for visitor in (bo, cy):
        await visitor.visit(server.url, "home")
        await visitor.visit(link, "room")
    await bo.offer("sit").click()
    await cy.is_told("Ada to move")
    await play_in_turn(ada, bo, WON["3x3"][0])
    for visitor in (ada, bo, cy):
        await expect(visitor.part("result-moves").locator("[data-grade]")).to_have_count(5)
        await expect(visitor.page.locator("#room.ending")).to_have_count(0)
    await ada.offer("rematch").click()
    await expect(bo.part("again")).to_contain_text("wants another")
    await bo.offer("rematch").click()
    await play_in_turn(bo, ada, WON["3x3"][0])
    for visitor in (ada, bo, cy):
        await expect(visitor.part("result")).to_be_visible()
        await expect(visitor.page.locator("#room.ending")).to_have_count(0)
        await sees_no_shift(visitor)
