"""Takes the pictures in docs/screenshots: every view and state, on every kind of screen.

With a folder, pictures of every scene on every screen go there instead; with names, only of these.
"""

from __future__ import annotations

import asyncio
import io
import sys
import tempfile
from pathlib import Path
from typing import Literal, NamedTuple

from PIL import Image
from playwright.async_api import Browser, Page, ViewportSize

from tests.browser.chromium import chromium
from tests.browser.people import DESKTOP, FOR_ALL
from tests.browser.scenes import SCENES, SLOW_AI, Shown, Stage
from tests.support.serving import ROOT, serving

FOLDER = ROOT / "docs/screenshots"
COLOURS = 192  # of a picture; more make it larger and no better
PHONE: ViewportSize = {"width": 390, "height": 844}
# A slow machine draws without the pencil's grain. The pictures show it in any case.
KEEP_GRAIN = """() => {
    const { classList } = document.body;
    const keep = () => classList.contains("grain") || classList.add("grain");
    globalThis.kept ??= new MutationObserver(keep);
    globalThis.kept.observe(document.body, { attributeFilter: ["class"] });
    keep();
}"""


class Screen(NamedTuple):
    name: str
    size: ViewportSize
    scheme: Literal["light", "dark"] = "light"
    theme: str = "auto"
    forced: bool = False
    # None: every scene.
    scenes: frozenset[str] | None = None


# These differ from others in words only: once in light is enough.
WORDY = {"asked", "asked-by-bo", "away-for-long", "covered", "drop-over", "hint", "home-ultimate"}
WORDY |= {"keys", "loses-over", "menu-asks", "partner", "refused", "saying", "tv-empty", "won"}
DARK = frozenset(SCENES.keys() - WORDY)
FEW = frozenset({"home", "room", "waiting", "invited", "ultimate", "drop", "step-up", "review"})
LARGE = frozenset({"home", "room", "step-up", "review", "tv", "tv-room"})
TROUBLES = frozenset({"premove", "watching", "away", "reconnecting", "lost"})
SCREENS = (
    Screen("desktop-light", DESKTOP),
    Screen("desktop-dark", DESKTOP, "dark", scenes=DARK),
    Screen("phone-light", PHONE),
    Screen("phone-dark", PHONE, "dark", scenes=DARK),
    Screen("small-light", {"width": 360, "height": 640}, scenes=FEW | TROUBLES),
    Screen("landscape-dark", {"width": 844, "height": 390}, "dark", scenes=FEW | TROUBLES),
    Screen("zoomed-light", {"width": 640, "height": 400}, scenes=FEW | TROUBLES),
    Screen("tablet-light", {"width": 820, "height": 1180}, scenes=FEW),
    Screen("projector-dark", {"width": 1920, "height": 1080}, "dark", scenes=LARGE),
    Screen("phone-contrast", PHONE, "light", "contrast", scenes=FEW | {"clock", "watching"}),
    Screen("desktop-contrast", DESKTOP, "dark", "contrast", scenes=FEW),
    Screen("desktop-forced", DESKTOP, "dark", forced=True, scenes=FEW | {"new-game-computer"}),
)


async def turn_to(page: Page, screen: Screen) -> None:
    """Show the page on this screen. A choice of colours is made as a person makes it."""
    await page.set_viewport_size(screen.size)
    await page.emulate_media(
        color_scheme=screen.scheme,
        reduced_motion="reduce",
        forced_colors="active" if screen.forced else "none",
    )
    await page.locator(f'#menu [name="theme"][value="{screen.theme}"]').evaluate("it => it.click()")
    await page.evaluate(KEEP_GRAIN)
    await page.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


async def take(shown: Shown, screen: Screen, path: Path) -> None:
    page = shown.visitor.page
    await turn_to(page, screen)
    await page.evaluate("scrollTo(0, 0)")
    if shown.hover:
        await page.locator(shown.hover).hover()
    else:
        await page.mouse.move(0, 0)
    await page.locator(".game .frame").evaluate_all(
        "frames => { for (const frame of frames) frame.style.contentVisibility = 'visible'; }"
    )
    drawn = await page.screenshot(animations="disabled", full_page="home" in path.name)
    picture = Image.open(io.BytesIO(drawn)).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


async def take_all(browser: Browser, folder: Path, names: list[str], screens: list[Screen]) -> None:
    with tempfile.TemporaryDirectory() as data:
        async with serving(Path(data), *FOR_ALL, ai_pause=SLOW_AI) as server:
            for name in names:
                async with SCENES[name](Stage(browser, server)) as shown:
                    for screen in screens:
                        if screen.scenes is None or name in screen.scenes:
                            await take(shown, screen, folder / f"{name}-{screen.name}.png")


async def main() -> None:
    folder, names = FOLDER, list(SCENES)
    screens = list(SCREENS)
    if len(sys.argv) > 1:
        folder, names = Path(sys.argv[1]), sys.argv[2:] or names
        screens = [screen._replace(scenes=None) for screen in screens]
    folder.mkdir(parents=True, exist_ok=True)
    if folder == FOLDER:
        for old in FOLDER.glob("*.png"):
            old.unlink()
    async with chromium() as browser:
        await take_all(browser, folder, names, screens)


if __name__ == "__main__":
    asyncio.run(main())
