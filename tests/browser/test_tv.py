"""A big screen: one game, no controls, a code to join by, and names that a whole class can read."""

from __future__ import annotations

import pytest
from playwright.async_api import ViewportSize, expect

from tests.browser.people import FOR_ALL, X_WINS, Invite, Visitor, forgive
from tests.support.dialling import dialled, play_out, seated_pair
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

PROJECTOR: ViewportSize = {"width": 1920, "height": 1080}
# Every new title, and the marks on every sheet that comes.
NOTE_CHANGES = """() => {
    window.changes = [];
    const title = document.querySelector('[data-part="tv-game"]');
    new MutationObserver(() => window.changes.unshift(title.textContent))
        .observe(title, { childList: true });
    new MutationObserver((all) => {
        for (const { addedNodes } of all)
            for (const sheet of addedNodes)
                window.changes.push(sheet.querySelectorAll('.cell[data-mark]').length);
    }).observe(document.querySelector('#tv'), { childList: true });
}"""
LONG_NAME = "Wolfeschlegelsteinhausen"


async def names(tv: Visitor, x: str, o: str) -> None:
    for mark, name in (("X", x), ("O", o)):
        shown = tv.page.locator(f'#tv [data-part="tv-{mark}"] [data-part="name"]')
        await expect(shown).to_have_text(name)


async def has_code(tv: Visitor, path: str) -> None:
    """The QR code of this path is shown, and has loaded."""
    code = tv.page.locator('#tv [data-part="tv-code"]')
    await expect(code).to_have_attribute("src", path)
    await expect(code).to_be_visible()
    await code.evaluate("image => image.decode()")
    assert await code.evaluate("image => image.naturalWidth") > 0


async def later(tv: Visitor, ms: int) -> None:
    """Let time pass on this page. Its socket may miss an answer meanwhile, and reconnect."""
    for _ in range(ms // 1000):
        await tv.page.clock.run_for(1000)


async def has_no_controls(tv: Visitor) -> None:
    controls = tv.page.locator("a, button:enabled, input, select, [popover], dialog[open]")
    assert await controls.evaluate_all("all => all.filter(each => each.checkVisibility())") == []


async def test_a_room_on_a_big_screen_has_its_game_its_code_and_no_controls(
    invite: Invite, server: Served
) -> None:
    async with dialled(server.ws, name="Ada") as ada, dialled(server.ws, name=LONG_NAME) as bo:
        room = await seated_pair(ada, bo)
        tv = await invite(viewport=PROJECTOR)
        await tv.visit(f"{server.url}/tv/{room}", "tv")
        await names(tv, "Ada", LONG_NAME)
        await has_code(tv, f"/r/{room}/qr.svg")
        await has_no_controls(tv)
        for name in await tv.page.locator('#tv [data-part="name"]').all():
            assert await name.evaluate("name => parseFloat(getComputedStyle(name).fontSize)") >= 40
            assert await name.evaluate("name => name.scrollWidth <= name.clientWidth")
        await ada.accept("play", room=room, cell=4, ply=0)
        await expect(tv.page.locator('#tv [data-cell="4"]')).to_have_attribute("data-mark", "X")
        await expect(tv.page.locator('#tv [data-part="tv-O"] [data-part="sub"]')).to_have_text(
            "to move"
        )

        scrolls = (
            "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert await tv.page.evaluate(scrolls) == [1920, 1080]
        await tv.page.locator('#tv [data-cell="0"]').click(force=True)
        await tv.page.keyboard.press("1")
        await bo.accept("play", room=room, cell=0, ply=1)  # nobody else has played


async def test_a_big_screen_stays_with_its_room(invite: Invite, server: Served) -> None:
    async with dialled(server.ws, name="Ada") as ada, dialled(server.ws, name="Bo") as bo:
        room, other = await seated_pair(ada, bo), await seated_pair(bo, ada)
        tv = await invite(viewport=PROJECTOR)
        await tv.page.clock.install()
        await tv.visit(f"{server.url}/tv/{room}", "tv")
        await names(tv, "Ada", "Bo")
        await play_out(room, (ada, bo), X_WINS)
        winner = tv.page.locator('#tv [data-part="tv-X"] [data-part="sub"]')
        await expect(winner).to_have_text("Winner")
        await bo.accept("play", room=other, cell=4, ply=0)

        await later(tv, 30_000)

        await expect(winner).to_have_text("Winner")
        await has_code(tv, f"/r/{room}/qr.svg")
        forgive(tv)


async def test_the_big_screen_follows_the_featured_game_and_moves_on_after_it(
    invite: Invite, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with (
        serving(tmp_path_factory.mktemp("tv"), *FOR_ALL) as server,
        dialled(server.ws, name="Ada") as ada,
        dialled(server.ws, name="Bo") as bo,
        dialled(server.ws, name="Eve") as eve,
    ):
        tv = await invite(viewport=PROJECTOR, reduced_motion="no-preference")
        await tv.page.clock.install()
        await tv.visit(f"{server.url}/tv", "tv")
        title = tv.page.locator('#tv [data-part="tv-game"]')
        await expect(title).to_have_text("No games right now.")
        await has_code(tv, "/qr.svg")
        await has_no_controls(tv)
        at = await title.bounding_box()

        room = await seated_pair(ada, bo)
        await names(tv, "Ada", "Bo")
        await has_code(tv, f"/r/{room}/qr.svg")
        after = await title.bounding_box()
        assert at is not None
        assert after is not None
        assert (after["x"], after["y"]) == (at["x"], at["y"]), "a game's name takes the same place"
        await eve.watch(room)
        following = await seated_pair(bo, ada, variant="drop")
        await play_out(room, (ada, bo), X_WINS)
        winner = tv.page.locator('#tv [data-part="tv-X"] [data-part="sub"]')
        await expect(winner).to_have_text("Winner")
        await later(tv, 8_000)
        await expect(winner).to_have_text("Winner")  # for a while, in case of a rematch

        await tv.page.evaluate(NOTE_CHANGES)

        await later(tv, 6_000)

        await expect(title).to_have_text("Drop Four")
        await expect(tv.page.locator("#tv .sheet")).to_have_count(1)
        # The old sheet slid out over the new one, and nothing else was shown between the two.
        assert await tv.page.evaluate("window.changes") == ["Drop Four", len(X_WINS)]
        await names(tv, "Bo", "Ada")
        await has_code(tv, f"/r/{following}/qr.svg")
        await bo.accept("play", room=following, cell=38, ply=0)
        await expect(tv.page.locator('#tv [data-cell="38"]')).to_have_attribute("data-mark", "X")
        assert tv.page.url == f"{server.url}/tv"
        forgive(tv)


async def test_the_big_screen_stays_for_a_rematch(
    invite: Invite, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with (
        serving(tmp_path_factory.mktemp("tv"), *FOR_ALL) as server,
        dialled(server.ws, name="Ada") as ada,
        dialled(server.ws, name="Bo") as bo,
    ):
        room = await seated_pair(ada, bo)
        tv = await invite(viewport=PROJECTOR)
        await tv.page.clock.install()
        await tv.visit(f"{server.url}/tv", "tv")
        await names(tv, "Ada", "Bo")
        await seated_pair(bo, ada)
        await play_out(room, (ada, bo), X_WINS)
        winner = tv.page.locator('#tv [data-part="tv-X"] [data-part="sub"]')
        await expect(winner).to_have_text("Winner")
        await later(tv, 5_000)
        for player in (ada, bo):
            await player.accept("rematch", room=room)

        await expect(tv.page.locator('#tv [data-part="tv-facts"]')).to_contain_text("Game 2")
        await later(tv, 20_000)

        await has_code(tv, f"/r/{room}/qr.svg")
        await expect(tv.page.locator('#tv [data-part="tv-X"] .tally')).to_have_count(0)
        await expect(tv.page.locator('#tv [data-part="tv-O"] .tally')).to_have_count(1)
        forgive(tv)
