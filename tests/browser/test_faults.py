"""What was broken on the page before this one: each fault as the promise that mends it."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import FloatRect, Locator, Page, expect

from tests.browser.people import (
    CLASSIC,
    DRAW,
    X_WINS,
    Invite,
    Visitor,
    forgive,
    friends,
    play_in_turn,
)
from tests.ordeals.torture.proxy import Proxy, proxied
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

SAID_WITHIN = 2000  # ms
ONE_REDRAW = 300  # ms, less than any ping waits for its answer
A_MOMENT = 0.3  # seconds; time for a second tap to do its harm
IMPATIENT = """
import sys
from server.core import decide
decide.COVER_AFTER, decide.CLAIM_AFTER = 1000, 2000
from server.__main__ import main
sys.exit(main())
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def impatient(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """Here the AI may cover for somebody who has been away for a second."""
    folder = tmp_path_factory.mktemp("impatient")
    async with serving(folder, "--no-limits", ai_pause=50, program=IMPATIENT) as served:
        yield served
        assert "Traceback" not in served.log


async def boxed(element: Locator) -> FloatRect:
    box = await element.bounding_box()
    assert box is not None
    return box


async def tap_again(page: Page, at: FloatRect) -> None:
    """A second tap on the place of a first one, whatever is there by now."""
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    await page.mouse.click(x, y)
    await asyncio.sleep(A_MOMENT)
    await page.mouse.click(x, y)


async def over(visitor: Visitor) -> None:
    """Wait until the end of the game has been shown and judged, and nothing moves any more."""
    await expect(visitor.part("result")).to_be_visible()
    await expect(visitor.page.locator("#room")).not_to_have_class(re.compile("ending"))
    await expect(visitor.part("result-moves").locator("button").last).to_have_attribute(
        "data-grade", re.compile(".")
    )


async def go_home(visitor: Visitor) -> None:
    await visitor.page.get_by_role("link", name="Noughts, home").click()
    await visitor.arrives("home")


# --------------------------------------------------------------------------------------- stray taps


@pytest.mark.parametrize("size", [(360, 640), (844, 390), (1280, 800)])
async def test_a_rematch_tapped_twice_leaves_everybody_where_they_are(
    invite: Invite, server: Served, size: tuple[int, int]
) -> None:
    ada, bo = await friends(invite, server, viewport={"width": size[0], "height": size[1]})
    await play_in_turn(ada, bo, X_WINS)
    again = ada.offer("rematch")
    await over(ada)
    await again.scroll_into_view_if_needed()
    box = await boxed(again)
    await again.click()
    await expect(ada.part("again")).to_have_text("Asked Bo, waiting …")
    await tap_again(ada.page, box)

    assert await boxed(ada.part("again")) == box, "a pressed button stays where it is"
    await bo.offer("rematch").click()
    await bo.is_told("Your turn", "You are X")
    await tap_again(ada.page, box)
    await ada.is_told("Waiting for Bo…", "You are O")
    await expect(ada.seat("O").locator('[data-part="name"]')).to_have_text("Ada")


async def test_one_stray_tap_never_sends_the_computer_away(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.play_ai(server.url, "Easy", "X")
    await ada.is_told("Your turn")
    await expect(ada.page.locator('#room [data-offer="dismiss"]')).to_have_count(0)

    await ada.open_menu()
    box = await boxed(ada.offer("dismiss"))
    await ada.offer("dismiss").dblclick()
    await tap_again(ada.page, box)
    await asyncio.sleep(A_MOMENT)

    await expect(ada.seat("O")).to_have_attribute("data-kind", "ai")
    await ada.page.keyboard.press("Escape")
    await ada.play(4)


async def test_a_stranger_cannot_stop_an_exhibition(invite: Invite, tmp_path: Path) -> None:
    cy, dee = await invite("Cy"), await invite("Dee")
    async with serving(tmp_path, ai_pause=60_000) as slow:  # so it is not over meanwhile
        await cy.visit(slow.url, "home")
        await cy.watch_two_computers()
        await dee.visit(cy.page.url, "room")

        for visitor in (cy, dee):
            await visitor.open_menu()
            await expect(visitor.offer("dismiss")).to_have_count(0)
            await visitor.page.keyboard.press("Escape")
        await expect(cy.headline).to_have_text("The computer is thinking")
        for visitor in (cy, dee):
            await visitor.page.close()


# ---------------------------------------------------------------------------------- two at a screen


async def test_two_at_one_screen_have_a_name_a_colour_and_a_score_of_their_own(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.share_screen(server.url, "Ruth", "Sam")
    await ada.is_told("Ruth to move")
    await expect(ada.seat("X")).to_contain_text("Ruth, your turn")
    below = await ada.page.locator("#room .strip.mine [data-part=name]").text_content()
    await play_in_turn(ada, ada, X_WINS)
    await ada.is_told("Ruth won")
    await expect(ada.part("result-word")).to_have_text("Ruth won")
    await ada.offer("rematch").click()

    await ada.is_told("Sam to move")  # the marks change hands, the people keep their places
    assert await ada.page.locator("#room .strip.mine [data-part=name]").text_content() == below
    await expect(ada.seat("O").locator("[data-part=name]")).to_have_text("Ruth")
    await expect(ada.tally("O")).to_have_attribute("aria-label", "1 won")
    await expect(ada.tally("X")).to_have_count(0)
    await expect(ada.seat("O")).to_have_attribute("data-side", "O")
    await play_in_turn(ada, ada, X_WINS)
    await ada.is_told("Sam won")
    for mark in "XO":
        await expect(ada.tally(mark)).to_have_attribute("aria-label", "1 won")


async def test_the_two_names_are_still_there_in_the_next_new_game(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.share_screen(server.url, "Ada", "Sam")
    await go_home(ada)
    sheet = await ada.open_sheet("This screen")
    await expect(sheet.get_by_label("Name of X")).to_have_value("Ada")
    await expect(sheet.get_by_label("Name of O")).to_have_value("Sam")


# ------------------------------------------------------------------------------------ the dead line


def is_said(visitor: Visitor) -> Locator:
    return visitor.part("line-note")


@pytest.mark.parametrize("fault", ["stall", "swallow", "cut"])
async def test_a_dead_line_is_said_within_two_seconds_and_is_never_your_turn(
    invite: Invite, server: Served, fault: str
) -> None:
    async with proxied(server.url) as proxy:
        ada, bo = await invite("Ada"), await invite("Bo")
        await ada.page.clock.install()
        link = await ada.open_room(proxy.url)
        await bo.visit(link.replace(proxy.url, server.url), "room")
        await bo.offer("sit").click()
        await ada.is_told("Your turn")

        break_line(proxy, fault)
        await ada.page.clock.run_for(SAID_WITHIN)
        assert await is_said(ada).is_visible()

        await ada.is_told("No connection")
        await expect(ada.part("line-text")).to_have_text("No connection, retrying")
        await expect(ada.seat("X")).not_to_contain_text("Your turn")
        await expect(ada.seat("X")).not_to_have_attribute("data-on", "")
        await expect(ada.page).to_have_title("No connection · Noughts")
        proxy.heal()
        await expect(is_said(ada)).to_be_hidden()
        await ada.is_told("Your turn")
        await ada.play(4)
        await bo.sees("... .X. ...")
        await ada.page.close()
        forgive(ada)


def break_line(proxy: Proxy, fault: str) -> None:
    if fault == "stall":
        proxy.stall()
    elif fault == "swallow":
        proxy.swallow(new_ones_too=True)
    else:
        proxy.is_refusing = True
        proxy.reset()


async def test_a_browser_that_knows_it_is_offline_says_so_at_once(
    invite: Invite, server: Served
) -> None:
    ada, _ = await friends(invite, server)
    await ada.page.clock.install()
    await ada.page.reload()
    await ada.is_told("Your turn")
    await ada.page.clock.pause_at(await ada.page.evaluate("Date.now() + 100"))
    await ada.context.set_offline(True)
    await ada.page.clock.run_for(ONE_REDRAW)
    assert await is_said(ada).is_visible()
    await ada.page.clock.resume()
    await expect(ada.seat("X")).not_to_contain_text("Your turn")
    await ada.context.set_offline(False)
    await expect(is_said(ada)).to_be_hidden()
    await ada.is_told("Your turn")
    forgive(ada)


# ------------------------------------------------------------------------------- absence and return


async def test_a_kept_move_after_a_takeover_is_dropped_without_an_alert(
    invite: Invite, impatient: Served
) -> None:
    async with proxied(impatient.url) as proxy:
        ada, bo = await invite("Ada"), await invite("Bo")
        link = await ada.open_room(impatient.url)
        await bo.visit(link.replace(impatient.url, proxy.url), "room")
        await bo.offer("sit").click()
        await ada.play(4)
        await bo.is_told("Your turn")
        break_line(proxy, "cut")
        await bo.is_told("No connection")
        await bo.cell(0).click()
        await expect(bo.seat("O")).to_contain_text("Move kept, not sent yet")

        await ada.offer("cover").click()
        await ada.is_told("Your turn")
        alerts = await watch_alerts(bo)
        proxy.heal()
        await expect(bo.part("covered")).to_contain_text("The computer moved for you")
        await asyncio.sleep(A_MOMENT)
        assert await bo.page.evaluate(alerts) == []
        await bo.sees(await ada.board())
        await expect(bo.page.locator("#room [data-pending]")).to_have_count(0)

        await bo.offer("take_back").click()
        await bo.is_told("Waiting for Ada…", "You are O")
        await ada.play((await ada.board()).index("."))
        await bo.is_told("Your turn")
        await bo.page.close()
        forgive(bo)


async def watch_alerts(visitor: Visitor) -> str:
    """Collect every refusal that is shown from now on, and return what evaluates to them."""
    await visitor.page.evaluate(
        """() => {
            window.alerts = [];
            const note = document.querySelector('[data-part="notice"]');
            new MutationObserver(() => {
                if (note.dataset.code === 'refused') window.alerts.push(note.textContent);
            }).observe(note, { attributes: true, childList: true, characterData: true });
        }"""
    )
    return "window.alerts"


async def test_a_game_is_claimed_from_somebody_who_stays_away(
    invite: Invite, impatient: Served
) -> None:
    ada, bo = await friends(invite, impatient)
    await ada.play(4)
    await bo.page.close()
    await expect(ada.seat("O")).to_contain_text("Away")
    await expect(ada.offer("claim")).to_be_enabled()
    await ada.offer("claim").click()
    await ada.is_told("You won", "Bo was away too long.")


async def test_somebody_who_is_back_takes_over_from_the_computer(
    invite: Invite, impatient: Served
) -> None:
    ada, bo = await friends(invite, impatient)
    link = bo.page.url
    await ada.play(4)
    await bo.page.goto("about:blank")
    await ada.offer("cover").click()
    await ada.is_told("Your turn")
    await expect(ada.seat("O")).to_contain_text("for Bo")
    # Not the level that Bo's opponent would choose.
    await expect(ada.seat("O").locator("[data-part=name]")).to_have_text("Perfect computer")

    bo.complaints.clear()  # an empty page has no storage
    await bo.visit(link, "room")
    await expect(bo.part("covered-text")).to_have_text(
        "The computer moved for you while you were away. Ada is still here."
    )
    await bo.offer("take_back").click()
    await bo.is_told("Waiting for Ada…", "You are O")
    await expect(ada.seat("O")).to_have_attribute("data-kind", "human")


# ------------------------------------------------------------------------ results, and what is kept


async def test_names_stay_in_a_result_after_somebody_has_left(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    cy = await invite("Cy")
    await cy.visit(ada.page.url, "room")
    await play_in_turn(ada, bo, X_WINS)
    await cy.is_told("Ada won")
    link = ada.page.url
    await ada.ask_menu("leave")
    await expect(bo.part("result-word")).to_have_text("Ada won")
    late = await invite("Dee")
    await late.visit(link, "room")
    for visitor in (bo, cy, late):
        await visitor.is_told("Ada won")
        await expect(visitor.seat("X").locator("[data-part=name]")).to_have_text("Ada")


async def test_a_game_that_is_over_is_not_offered_to_be_resumed(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await go_home(ada)
    resume = ada.page.locator('#home [data-part="resume"]')
    await expect(resume).to_contain_text("Your turn against Bo")  # with a space
    await ada.page.get_by_role("link", name="Resume").click()
    await ada.arrives("room")
    await play_in_turn(ada, bo, X_WINS)
    await ada.is_told("You won")

    for visitor in (ada, bo):
        await go_home(visitor)
        await expect(visitor.page.locator('#home [data-part="me"]')).not_to_have_value("")
        await asyncio.sleep(A_MOMENT)
        await expect(visitor.page.locator('#home [data-part="resume"]')).to_be_hidden()


async def test_a_game_that_ended_while_one_was_at_home_is_not_offered_either(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await ada.play(4)
    await go_home(ada)
    await expect(ada.page.locator('#home [data-part="resume"]')).to_be_visible()
    await bo.resign()
    await ada.page.reload()
    await ada.arrives("home")
    await asyncio.sleep(A_MOMENT)
    await expect(ada.page.locator('#home [data-part="resume"]')).to_be_hidden()


async def test_level_side_and_clock_are_remembered(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.visit(server.url, "home")
    sheet = await ada.open_sheet("Computer")
    await sheet.get_by_role("radio", name=re.compile("^Hard")).check()
    await sheet.get_by_role("radio", name="30 s", exact=True).check()
    await sheet.get_by_role("radio", name="O", exact=True).check()
    await sheet.get_by_role("button", name="Play Hard").click()
    await ada.arrives("room")
    await expect(ada.part("title")).to_have_text(f"{CLASSIC} · 30 s")
    await expect(ada.seat("X").locator("[data-part=name]")).to_have_text("Hard computer")

    await ada.visit(server.url, "home")
    await expect(ada.page.locator('#home [data-part="level"]')).to_have_text("Hard")
    await ada.page.get_by_role("button", name="Play the computer").click()
    await ada.arrives("room")
    await expect(ada.part("title")).to_have_text(f"{CLASSIC} · 30 s")
    await expect(ada.seat("X").locator("[data-part=name]")).to_have_text("Hard computer")


async def test_another_level_takes_two_steps_and_starts_a_fresh_score(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.play_ai(server.url, "Easy", "X")
    await ada.resign()
    await expect(ada.tally("O")).to_have_attribute("aria-label", "1 won")
    before = ada.page.url

    await ada.page.get_by_role("button", name="Other level").click()
    sheet = ada.page.get_by_role("dialog", name="New game")
    await sheet.get_by_role("radio", name=re.compile("^Medium")).check()
    await sheet.get_by_role("button", name="Play Medium").click()

    await ada.page.wait_for_url(lambda url: url != before)
    await ada.is_told("Your turn", "You are X")
    await expect(ada.seat("O").locator("[data-part=name]")).to_have_text("Medium computer")
    await expect(ada.page.locator("#room .tally:visible")).to_have_count(0)


# ----------------------------------------------------------------------------- feedback and signals


async def test_play_bo_tells_that_bo_was_asked(invite: Invite, server: Served) -> None:
    ada, bo = await invite("Ada"), await invite("Bo")
    for visitor in (ada, bo):
        await visitor.visit(server.url, "home")
        await visitor.page.locator('#home [data-cell="4"]').click()
        await visitor.arrives("room")
        await visitor.is_told("Your turn")
    await ada.resign()
    meet = ada.part("meet")
    await expect(meet).to_have_text("Play Bo")
    box = await boxed(meet)
    await meet.click()
    await expect(meet).to_have_text("Asked Bo, waiting …")
    assert await boxed(meet) == box
    await tap_again(ada.page, box)
    await expect(meet).to_have_text("Asked Bo, waiting …")
    await bo.resign()
    before = bo.page.url
    await bo.offer("meet").click()
    await bo.page.wait_for_url(lambda url: url != before)
    await ada.page.wait_for_url(bo.page.url)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_first_click_on_another_theme_changes_something(
    invite: Invite, server: Served, scheme: str
) -> None:
    ada = await invite("Ada", color_scheme=scheme)
    await ada.visit(server.url, "home")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    usual = await ada.page.evaluate(paper)
    menu = await ada.open_menu()
    await expect(menu.get_by_role("radio", name="Auto")).to_be_checked()
    other = "Dark" if scheme == "light" else "Light"
    await menu.get_by_role("radio", name=other).click()
    await expect(ada.page.locator("html")).to_have_attribute("data-theme", other.lower())
    assert await ada.page.evaluate(paper) != usual


async def test_digits_lie_as_they_do_on_a_number_pad_and_can_be_switched_off(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.share_screen(server.url, "Ada", "Bo")
    await ada.is_told("Ada to move")
    await ada.page.keyboard.press("Shift+Numpad7")
    await ada.sees("X.. ... ...")
    await ada.page.keyboard.press("Shift+Numpad3")
    await ada.sees("X.. ... ..O")
    await ada.page.keyboard.press("3")
    await ada.sees("X.X ... ..O")

    await ada.page.keyboard.press("?")
    keys = ada.page.locator("#keys")
    await expect(keys).to_be_visible()
    await expect(keys).to_contain_text("Show this list")
    await keys.get_by_label("Digits play a square").uncheck()
    await ada.page.keyboard.press("Escape")
    await expect(keys).to_be_hidden()
    await ada.part("title").click()
    await ada.page.keyboard.press("5")
    await asyncio.sleep(A_MOMENT)
    await ada.sees("X.X ... ..O")
    await ada.page.reload()
    await ada.is_told("Bo to move")
    await ada.page.keyboard.press("5")
    await asyncio.sleep(A_MOMENT)
    await ada.sees("X.X ... ..O")


async def test_a_friend_who_opens_the_link_sits_down_or_asks_again_knocks(
    invite: Invite, server: Served
) -> None:
    ada, bo = await invite("Ada"), await invite("Bo")
    link = await ada.open_room(server.url)
    sounded = "document.body.dataset.sounded"

    async def knocks(about: str) -> None:
        await expect(ada.notice).to_have_text(about)
        await expect(ada.page.locator("body")).to_have_attribute("data-sounded", "knock")
        await ada.page.evaluate(f"delete {sounded}")

    await bo.visit(link, "room")
    await knocks("Somebody opened your link.")
    await expect(ada.seat("O")).to_contain_text("has opened your link")
    await bo.offer("sit").click()
    await knocks("Bo is here. Your turn.")
    await play_in_turn(ada, bo, X_WINS)
    await ada.page.evaluate(f"delete {sounded}")
    await bo.offer("rematch").click()
    await knocks("Bo wants another game.")


# ---------------------------------------------------------------------------------- after a restore


async def test_an_open_page_shows_the_board_of_a_restored_backup(
    invite: Invite, tmp_path: Path
) -> None:
    kept, backup = tmp_path / "rooms.db", tmp_path / "backup.db"
    async with serving(tmp_path, store=f"sqlite:{kept}") as first:
        ada, bo = await friends(invite, first)
        await play_in_turn(ada, bo, [4, 0])
        with closing(sqlite3.connect(kept)) as live, closing(sqlite3.connect(backup)) as copy:
            live.backup(copy)
        await play_in_turn(ada, bo, [8, 2])
        await first.kill()
        port = first.port
    async with serving(tmp_path, store=f"sqlite:{backup}", port=port):
        for visitor in (ada, bo):
            await visitor.sees("O.. .X. ...")
        await ada.is_told("Your turn")
        await ada.play(7)
        await bo.sees("O.. .X. .X.")
        for visitor in (ada, bo):
            await visitor.page.close()
    forgive(ada, bo)


async def test_a_draw_of_two_at_one_screen_counts_for_neither(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.share_screen(server.url, "Ruth", "Sam")
    await play_in_turn(ada, ada, DRAW)
    await ada.is_told("A draw")
    await ada.offer("rematch").click()
    await ada.is_told("Sam to move")
    await expect(ada.part("draws")).to_have_text("1 draw")
    await expect(ada.page.locator("#room .tally:visible")).to_have_count(0)
