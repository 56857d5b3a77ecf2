"""Every view and state of the page, set up over sockets, so that each looks the same every time.

A scene is an async context manager: it brings a page into a state and keeps it there. Screenshots
are taken of them, and axe-core checks them.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from playwright.async_api import Browser, expect

from tests.browser.people import DESKTOP, DRAW, FOR_ALL, HANG, X_WINS, Visitor
from tests.support.dialling import Player, dialled, play_out
from tests.support.serving import Served, serving

LONG_NAME = "Wolfeschlegelsteinhausen"
ARABIC_NAME = "ليلى"
O_WINS = [0, 4, 1, 2, 3, 6]

FIVE = [12, 8, 6, 13, 7, 16, 17, 1, 24]
DROP_WON = [38, 31, 37, 30, 39, 24, 40]
DROP = [39, 38, 31, 37, 36, 40, 41, 30, 32, 25, 24, 17, 34]
# X has won a board, O two, and X is sent to the middle one.
ULTIMATE = [12, 37, 40, 50, 79, 75, 55, 4, 14, 51, 54, 9, 29, 16, 32, 7, 21]
ULTIMATE += [72, 56, 25, 58, 3, 18, 5, 42, 46, 57, 19, 67, 30, 11, 44, 34, 70]

DECODE = "image => image.decode()"
SLOW_AI = 60_000  # ms; a computer's move does not come before the picture is taken
IMPATIENT = """
import sys
from server.core import decide
decide.COVER_AFTER, decide.CLAIM_AFTER = 1, 1
from server.__main__ import main
sys.exit(main())
"""
PROGRESS = {
    "games": {
        "3x3": {
            "gentle": {"won": 1, "drawn": 0, "lost": 0},
            "easy": {"won": 3, "drawn": 0, "lost": 1},
            "medium": {"won": 3, "drawn": 2, "lost": 2},
        }
    },
    "streak": 4,
    "last": None,
    "counted": [],
}


class Shown(NamedTuple):
    """A page in some state, and what the pointer is over, if anything."""

    visitor: Visitor
    hover: str | None = None


class Stage(NamedTuple):
    """Where scenes are set up. Public rooms are opened on servers of their own."""

    browser: Browser
    server: Served

    @asynccontextmanager
    async def visit(
        self,
        path: str,
        view: str,
        player: Player | None = None,
        *,
        name: str = "",
        kept: Mapping[str, object] = MappingProxyType({}),
    ) -> AsyncIterator[Visitor]:
        """Somebody at a page. With `player`, the one who sits there; `kept` is what they stored."""
        context = await self.browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
        page = await context.new_page()
        texts = {key: json.dumps(value) for key, value in kept.items()}
        if player:
            texts |= {"token": player.token, "name": player.welcome["player"]["name"]}
        elif name:
            texts["name"] = name
        for key, text in texts.items():
            await page.add_init_script(f"localStorage['noughts.{key}'] ??= {json.dumps(text)}")
        visitor = Visitor(page)
        await visitor.visit(self.server.url + path, view)
        yield visitor
        await context.close()

    def dial(self, name: str) -> AbstractAsyncContextManager[Player]:
        return dialled(self.server.ws, name=name)


Scene = Callable[[Stage], AbstractAsyncContextManager[Shown]]
SCENES: dict[str, Scene] = {}


def scene(make: Callable[[Stage], AsyncIterator[Shown]]) -> Scene:
    made = asynccontextmanager(make)
    SCENES[make.__name__.replace("_", "-")] = made
    return made


async def stop_time(visitor: Visitor, after: int = 0) -> None:
    """The page's clock stands still, so many milliseconds from now. Its timers go on."""
    now = await visitor.page.evaluate("Date.now()")
    await visitor.page.clock.set_fixed_time((now + after) / 1000)


# ------------------------------------------------------------------------------------ at a table


async def rematch(room: str, *players: Player) -> None:
    for player in players:
        await player.accept("rematch", room=room)
    for player in players:
        await player.state(room, lambda state: not state["moves"])


async def open_table(
    first: Player, second: Player, games: tuple[list[int], ...] = (), **create: object
) -> tuple[str, Player, Player]:
    """A private room where these games have been played; who is X and who is O in the next one."""
    room = str((await first.accept("create", public=False, **create))["room"])
    await second.accept("sit", room=room, seat="O")
    for player in (first, second):
        await player.state(room, lambda state: bool(state["status"] == "playing"))
    x, o = first, second
    for moves in games:
        await play_out(room, (x, o), moves)
        await rematch(room, x, o)
        x, o = o, x
    return room, x, o


@asynccontextmanager
async def table(
    stage: Stage,
    near: str,
    far: str,
    moves: list[int],
    *,
    games: tuple[list[int], ...] = (),
    near_is: str = "X",
    **create: object,
) -> AsyncIterator[tuple[Visitor, Player, Player, str]]:
    """Somebody's page at a game against a friend who is there."""
    async with stage.dial(near) as me, stage.dial(far) as friend:
        is_first = (near_is == "X") == (len(games) % 2 == 0)
        first, second = (me, friend) if is_first else (friend, me)
        room, x, o = await open_table(first, second, games, **create)
        await play_out(room, (x, o), moves)
        async with stage.visit(f"/r/{room}", "room", me) as visitor:
            strip = visitor.page.locator("#room .opp")
            await expect(strip).to_have_attribute("data-online", "true")
            yield visitor, me, friend, room


A_BEATS_B = (X_WINS, X_WINS, X_WINS, O_WINS, DRAW, X_WINS)  # three to two, and a draw


@scene
async def room(stage: Stage) -> AsyncIterator[Shown]:
    async with table(stage, "Ada", "Bo", [4, 0, 2, 8], games=A_BEATS_B) as (ada, *_):
        yield Shown(ada, "#room [data-cell='6']")


@scene
async def room_computer(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.dial("Ada") as me:
        seats = {"X": "me", "O": {"ai": "hard"}}
        room = await me.create(seats=seats, public=False, moves=[4, 0])
        async with stage.visit(f"/r/{room}", "room", me, kept={"progress": PROGRESS}) as ada:
            yield Shown(ada, "#room [data-cell='8']")


@scene
async def hint(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.dial("Ada") as me:
        seats = {"X": "me", "O": {"ai": "hard"}}
        room = await me.create(seats=seats, public=False, moves=[4, 1])
        async with stage.visit(f"/r/{room}", "room", me) as ada:
            await ada.page.get_by_role("button", name="Hint").click()
            await expect(ada.page.locator("#room [data-value]").first).to_be_visible()
            yield Shown(ada)


@scene
async def premove(stage: Stage) -> AsyncIterator[Shown]:
    games = (*(X_WINS, O_WINS) * 4, *(X_WINS, X_WINS) * 3, X_WINS)  # twelve to three against Ada
    async with table(stage, "Ada", LONG_NAME, [4, 0, 2], games=games) as (ada, *_):
        await ada.cell(6).click()
        await expect(ada.cell(6)).to_have_attribute("data-aimed", "")
        yield Shown(ada)


@scene
async def clock(stage: Stage) -> AsyncIterator[Shown]:
    async with table(
        stage,
        "Ada",
        ARABIC_NAME,
        FIVE,
        near_is="O",
        variant="5x5",
        clock={"budget": 180_000},
    ) as (ada, *_):
        minutes, seconds = (await ada.part("time").last.inner_text()).split(":")
        await stop_time(ada, after=int(minutes) * 60_000 + int(seconds) * 1000 - 9_000)
        await expect(ada.part("clock").last).to_have_attribute("data-low", "")
        yield Shown(ada, "#room [data-cell='22']")


@scene
async def away(stage: Stage) -> AsyncIterator[Shown]:
    async with table(stage, "Ada", "Bo", [4, 0, 2], games=A_BEATS_B) as (ada, _, bo, _):
        await bo.socket.close()
        await expect(ada.seat("O")).to_have_attribute("data-online", "false")
        await stop_time(ada, after=3200)
        await expect(ada.part("away")).to_be_visible()
        yield Shown(ada)


@scene
async def away_for_long(stage: Stage) -> AsyncIterator[Shown]:
    async with table(stage, "Ada", "Bo", [4, 0, 2], games=A_BEATS_B) as (ada, _, bo, _):
        await bo.socket.close()
        await expect(ada.seat("O")).to_have_attribute("data-online", "false")
        await stop_time(ada, after=90_000)
        await expect(ada.part("cover")).to_be_enabled()
        yield Shown(ada)


@scene
async def reconnecting(stage: Stage) -> AsyncIterator[Shown]:
    async with AsyncExitStack() as pages:
        with tempfile.TemporaryDirectory() as folder:
            async with serving(Path(folder), *FOR_ALL) as server:
                own = stage._replace(server=server)
                ada, *_ = await pages.enter_async_context(
                    table(own, "Ada", "Bo", [4, 0, 2, 8], games=A_BEATS_B)
                )
        await expect(ada.part("line-note")).to_be_visible()
        await ada.cell(6).click()
        await expect(ada.part("sub").last).to_have_text("Move kept, not sent yet")
        yield Shown(ada)


@scene
async def two(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.dial("Eli") as me:
        seats = {"X": {"me": "Eli"}, "O": {"me": "Grandma Ruth"}}
        room = await me.create(seats=seats, public=False, variant="drop", moves=DROP)
        async with stage.visit(f"/r/{room}", "room", me) as eli:
            yield Shown(eli, "#room [data-cell='5']")


@scene
async def waiting(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.dial("Ada") as me:
        room = await me.create(public=False, variant="vanishing", clock={"budget": 10_000})
        async with stage.visit(f"/r/{room}", "room", me) as ada:
            await ada.part("share-code").evaluate(DECODE)
            yield Shown(ada)


@scene
async def invited(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.dial("Ada") as host:
        room = await host.create(public=False, variant="vanishing", clock={"budget": 10_000})
        async with stage.visit(f"/r/{room}", "room", name="Bo") as bo:
            await expect(bo.part("invite")).to_be_visible()
            yield Shown(bo)


@scene
async def watching(stage: Stage) -> AsyncIterator[Shown]:
    async with AsyncExitStack() as friends:
        jose = await friends.enter_async_context(stage.dial("José"))
        mei = await friends.enter_async_context(stage.dial("Mei-Lin"))
        room, x, o = await open_table(jose, mei, (X_WINS, X_WINS, X_WINS, X_WINS))
        await play_out(room, (x, o), [0, 4, 3])
        for name in ("Bo", "Cy", "Di"):
            other = await friends.enter_async_context(stage.dial(name))
            await other.watch(room)
        async with stage.visit(f"/r/{room}", "room", name="Ada") as ada:
            await ada.page.get_by_role("button", name="Show values").click()
            await expect(ada.page.locator("#room [data-value]").first).to_be_visible()
            await expect(ada.part("crowd-text")).to_have_text("You and 3 others are watching")
            yield Shown(ada)


@scene
async def vanishing(stage: Stage) -> AsyncIterator[Shown]:
    async with table(
        stage, "Ada", "Kofi", [3, 7, 4, 2, 8, 5], games=A_BEATS_B[:4], variant="vanishing"
    ) as (ada, _, kofi, room):
        await stop_time(ada)  # what is said stays
        await kofi.accept("say", room=room, phrase="nice_move")
        await expect(ada.part("bubble").first).to_be_visible()
        yield Shown(ada)


@scene
async def ultimate(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.dial("Ada") as me, stage.dial(LONG_NAME) as friend:
        room = await me.create(public=False, variant="ultimate", moves=ULTIMATE)
        await friend.accept("sit", room=room, seat="O")
        async with stage.visit(f"/r/{room}", "room", me) as ada:
            yield Shown(ada)


@scene
async def loses(stage: Stage) -> AsyncIterator[Shown]:
    async with table(stage, "Ada", "Yuki", [4, 1, 0, 6, 5], near_is="O", variant="reverse") as (
        ada,
        *_,
    ):
        yield Shown(ada)


@scene
async def loses_over(stage: Stage) -> AsyncIterator[Shown]:
    moves = [4, 1, 0, 6, 5, 2, 3]  # X has three in a row, and so O has won
    async with table(stage, "Ada", "Yuki", moves, near_is="O", variant="reverse") as (ada, *_):
        await judged(ada)
        yield Shown(ada)


@scene
async def five(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.dial("Ada") as me:
        seats = {"X": {"ai": "hard"}, "O": "me"}
        room = await me.create(seats=seats, public=False, variant="5x5", moves=FIVE)
        async with stage.visit(f"/r/{room}", "room", me) as ada:
            yield Shown(ada, "#room [data-cell='22']")


@scene
async def drop(stage: Stage) -> AsyncIterator[Shown]:
    async with table(stage, "Tomás", ARABIC_NAME, DROP[:-1], variant="drop") as (ada, *_):
        yield Shown(ada, "#room [data-cell='4']")


@scene
async def menu(stage: Stage) -> AsyncIterator[Shown]:
    async with table(stage, "Ada", "Bo", [4, 0, 2, 8], games=A_BEATS_B) as (ada, *_):
        await ada.open_menu()
        yield Shown(ada)


@scene
async def menu_asks(stage: Stage) -> AsyncIterator[Shown]:
    async with table(stage, "Ada", "Bo", [4, 0, 2, 8], games=A_BEATS_B) as (ada, *_):
        await ada.open_menu()
        await ada.offer("resign").click()
        await expect(ada.offer("confirm")).to_be_visible()
        yield Shown(ada)


@scene
async def saying(stage: Stage) -> AsyncIterator[Shown]:
    async with table(stage, "Ada", "Bo", [4, 0, 2, 8]) as (ada, *_):
        await ada.page.get_by_role("button", name="Say").click()
        await expect(ada.page.locator("#say")).to_be_visible()
        yield Shown(ada)


@scene
async def keys(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.visit("/", "home", name="Ada") as ada:
        await ada.page.keyboard.press("?")
        await expect(ada.page.locator("#keys")).to_be_visible()
        yield Shown(ada)


@scene
async def covered(stage: Stage) -> AsyncIterator[Shown]:
    with tempfile.TemporaryDirectory() as folder:
        async with serving(Path(folder), *FOR_ALL, ai_pause=SLOW_AI, program=IMPATIENT) as server:
            own = stage._replace(server=server)
            async with own.dial("Bo") as bo:
                async with own.dial("Ada") as ada:
                    room, *_ = await open_table(ada, bo)
                    await play_out(room, (ada, bo), [4, 0, 2, 8])
                await bo.until(
                    lambda frame: frame["type"] == "presence" and "X" not in frame["online"]
                )
                await bo.accept("seat_ai", room=room, seat="X", level="perfect")
                async with own.visit(f"/r/{room}", "room", ada) as visitor:
                    await expect(visitor.part("covered")).to_be_visible()
                    yield Shown(visitor)


@scene
async def partner(stage: Stage) -> AsyncIterator[Shown]:
    """Quick play: after a game against the computer, another player is offered."""
    async with stage.dial("Grace") as grace, stage.visit("/", "home", name="Ada") as ada:
        await grace.accept("quick", on=True)
        await ada.page.locator("#home [data-cell='4']").click()
        await ada.arrives("room")
        await ada.resign()
        await expect(ada.offer("meet")).to_be_visible()
        yield Shown(ada)


# ----------------------------------------------------------------------------------- at the end


async def judged(visitor: Visitor) -> None:
    """Wait until every move has its grade."""
    chips = visitor.part("result-moves").locator("button")
    await expect(chips.last).to_have_attribute("data-grade", re.compile("."))


@scene
async def won(stage: Stage) -> AsyncIterator[Shown]:
    async with table(stage, "Ada", "Bo", [4, 5, 0, 2, 8], games=A_BEATS_B) as (ada, *_):
        await judged(ada)
        yield Shown(ada)


@asynccontextmanager
async def lost_game(stage: Stage) -> AsyncIterator[tuple[Visitor, Player, Player, str]]:
    moves = [0, 4, 3, 6, 5, 2]
    async with table(stage, "Ada", "Bo", moves, games=A_BEATS_B) as (ada, me, bo, room):
        await judged(ada)
        yield ada, me, bo, room


@scene
async def lost(stage: Stage) -> AsyncIterator[Shown]:
    async with lost_game(stage) as (ada, *_):
        yield Shown(ada)


@scene
async def asked(stage: Stage) -> AsyncIterator[Shown]:
    async with lost_game(stage) as (ada, me, _, room):
        await me.accept("rematch", room=room)
        await expect(ada.part("again")).to_have_text("Asked Bo, waiting …")
        yield Shown(ada)


@scene
async def asked_by_bo(stage: Stage) -> AsyncIterator[Shown]:
    async with lost_game(stage) as (ada, _, bo, room):
        await bo.accept("rematch", room=room)
        await expect(ada.part("again")).to_have_text("Bo wants another: Again")
        await expect(ada.notice).to_be_hidden()
        yield Shown(ada)


@scene
async def drawn(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.dial("Ada") as me:
        seats = {"X": "me", "O": {"ai": "perfect"}}
        room = await me.create(seats=seats, public=False, moves=[0, 4, 8, 1, 7, 6, 2, 5])
        await me.accept("play", room=room, cell=3, ply=8)
        async with stage.visit(f"/r/{room}", "room", me, kept={"progress": PROGRESS}) as ada:
            await judged(ada)
            yield Shown(ada)


@scene
async def step_up(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.dial("Ada") as me:
        seats = {"X": "me", "O": {"ai": "hard"}}
        room = await me.create(seats=seats, public=False, moves=[4, 5, 0, 2])
        await me.accept("play", room=room, cell=8, ply=4)
        won = {"won": 1, "drawn": 0, "lost": 0}
        climbed = {**PROGRESS, "games": {"3x3": {"hard": won}}}
        async with stage.visit(f"/r/{room}", "room", me, kept={"progress": climbed}) as ada:
            await judged(ada)
            yield Shown(ada)


@scene
async def drop_over(stage: Stage) -> AsyncIterator[Shown]:
    async with table(stage, "Ada", LONG_NAME, DROP_WON, variant="drop") as (ada, *_):
        await judged(ada)
        yield Shown(ada)


@scene
async def review(stage: Stage) -> AsyncIterator[Shown]:
    async with lost_game(stage) as (ada, *_):
        await ada.page.get_by_role("button", name="Review").click()
        await expect(ada.page.locator("#room [data-value]").first).to_be_visible()
        yield Shown(ada)


@scene
async def review_estimates(stage: Stage) -> AsyncIterator[Shown]:
    async with table(stage, "Ada", "Bo", DROP_WON, variant="drop") as (ada, *_):
        await judged(ada)
        await ada.part("result-moves").locator("button").nth(2).click()
        estimate = ada.page.locator("#room [data-value='unknown']").first
        await expect(estimate).to_be_visible(timeout=3 * HANG)  # seven searches
        yield Shown(ada)


# ------------------------------------------------------------------------------------- elsewhere


@asynccontextmanager
async def busy(stage: Stage) -> AsyncIterator[tuple[Stage, str]]:
    """A server of its own with nine public games, and one that Ada can resume."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            serving(Path(folder), *FOR_ALL, ai_pause=SLOW_AI) as server,
            AsyncExitStack() as people,
        ):
            own = stage._replace(server=server)
            host = await people.enter_async_context(own.dial("Host"))

            async def game(x: object, o: object, moves: list[int], variant: str = "3x3") -> str:
                seats = {"X": x, "O": o}
                return await host.create(seats=seats, variant=variant, moves=moves)

            def named(name: str) -> dict[str, str]:
                return {"me": name}

            featured = await game(named("Grandma Ruth"), named(LONG_NAME), ULTIMATE, "ultimate")
            rooms = [
                await game(named("Tomás"), named(ARABIC_NAME), DROP[:-1], "drop"),
                await game(named("José"), named("Mei-Lin"), [0, 1, 4, 7]),
                await game(named("Kofi"), named("Ines"), [2, 1, 4, 5, 7], "vanishing"),
                await game(named("Bea"), {"ai": "hard"}, FIVE[:-1], "5x5"),
                await game(named("Yuki"), named("Dmitri"), [3, 0, 4, 6], "reverse"),
                await game({"ai": "medium"}, {"ai": "perfect"}, [1, 4]),
            ]
            over = await game(named("Noor"), named("Sam"), [0, 2, 4, 5])
            await host.accept("play", room=over, cell=8, ply=4)
            await game(named("Mr Okafor’s class"), "open", [], "reverse")
            for nth in range(8):
                watcher = await people.enter_async_context(own.dial(f"Watcher {nth}"))
                await watcher.watch(featured)
                if nth < len(rooms):
                    await watcher.watch(rooms[nth // 2])
            yield own, featured


@asynccontextmanager
async def busy_home(stage: Stage, **prefs: str) -> AsyncIterator[Visitor]:
    kept = {"prefs": prefs}
    async with busy(stage) as (own, _), own.visit("/", "home", name="Ada", kept=kept) as ada:
        await expect(ada.page.locator("#home .game")).to_have_count(9)
        await stop_time(ada)
        yield ada


@scene
async def home(stage: Stage) -> AsyncIterator[Shown]:
    async with busy(stage) as (own, _), own.dial("Ada") as me, own.dial("Bo") as bo:
        room, *_ = await open_table(me, bo)
        last = {"room": room, "game": 1, "variant": "3x3", "level": "hard", "result": "lost"}
        kept = {"progress": PROGRESS | {"last": last}, "prefs": {"level": "hard"}, "rooms": [room]}
        async with own.visit("/", "home", me, kept=kept) as ada:
            await expect(ada.page.locator("#home .game")).to_have_count(9)
            await expect(ada.page.locator('[data-part="resume-turn"]')).to_have_text("Your turn")
            await stop_time(ada)  # a finished game stays for twenty seconds
            yield Shown(ada)


@scene
async def home_drop(stage: Stage) -> AsyncIterator[Shown]:
    async with busy_home(stage, game="drop", level="best") as ada:
        yield Shown(ada)


@scene
async def home_ultimate(stage: Stage) -> AsyncIterator[Shown]:
    async with busy_home(stage, game="ultimate", level="best") as ada:
        yield Shown(ada)


@scene
async def home_empty(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.visit("/", "home", name="Ada") as ada:
        await expect(ada.page.locator('[data-part="empty"]')).to_be_visible()
        yield Shown(ada)


def new_game(tab: str, prefs: dict[str, str]) -> None:
    async def sheet(stage: Stage) -> AsyncIterator[Shown]:
        kept = {"progress": PROGRESS, "prefs": prefs | {"second": "Grandma Ruth"}}
        async with stage.visit("/", "home", name="Ada", kept=kept) as ada:
            await ada.open_sheet(tab)
            yield Shown(ada)

    sheet.__name__ = f"new-game-{tab.split()[-1].lower()}"
    scene(sheet)


new_game("Friend", {"game": "vanishing", "clock": "10", "side": "random"})
new_game("Computer", {"level": "hard"})
new_game("This screen", {"game": "drop"})


@scene
async def tv(stage: Stage) -> AsyncIterator[Shown]:
    with tempfile.TemporaryDirectory() as folder:
        async with serving(Path(folder), *FOR_ALL) as server:
            own = stage._replace(server=server)
            async with own.dial("Host") as host, own.visit("/tv", "tv") as screen:
                seats = {"X": {"me": "Grandma Ruth"}, "O": {"me": ARABIC_NAME}}
                await host.create(seats=seats, variant="ultimate", moves=ULTIMATE)
                name = screen.page.locator('#tv [data-part="tv-X"] [data-part="name"]')
                await expect(name).to_have_text("Grandma Ruth")
                await screen.page.locator('[data-part="tv-code"]').evaluate(DECODE)
                yield Shown(screen)


@scene
async def tv_room(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.dial("Grandma Ruth") as ruth, stage.dial(LONG_NAME) as friend:
        room, x, o = await open_table(ruth, friend, A_BEATS_B[:4], variant="vanishing")
        await play_out(room, (x, o), [3, 7, 4, 2, 8, 5])
        async with stage.visit(f"/tv/{room}", "tv") as screen:
            await screen.page.locator('[data-part="tv-code"]').evaluate(DECODE)
            yield Shown(screen)


@scene
async def tv_empty(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.visit("/tv", "tv") as screen:
        yield Shown(screen)


@scene
async def missing(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.visit("/nothing", "missing") as ada:
        yield Shown(ada)


@scene
async def gone(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.visit("/r/AAAAAAAAAAAAAAAA", "missing") as ada:
        yield Shown(ada)


@scene
async def offline(stage: Stage) -> AsyncIterator[Shown]:
    async with AsyncExitStack() as pages:
        with tempfile.TemporaryDirectory() as folder:
            async with serving(Path(folder)) as server:
                ada = await pages.enter_async_context(
                    stage._replace(server=server).visit("/", "home", name="Ada")
                )
                await expect(ada.page.locator('[data-part="empty"]')).to_be_visible()
        await expect(ada.page.locator('[data-part="home-line"]')).to_be_visible()
        yield Shown(ada)


@scene
async def refused(stage: Stage) -> AsyncIterator[Shown]:
    async with stage.visit("/", "home", name="Ada") as ada:
        await ada.page.route_web_socket("**/ws", lambda socket: socket.close(code=1008))
        await ada.page.reload()
        await expect(ada.page.locator('[data-part="home-line"]')).to_be_visible()
        yield Shown(ada)
