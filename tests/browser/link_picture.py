"""Draws client/link.png, which is shown beside a link: the board of a room, with a few words.

The words look best with the fonts of Debian's package `fonts-urw-base35`.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
from pathlib import Path

from PIL import Image

from server.web.preview import PICTURE, SIZE
from tests.browser.chromium import chromium
from tests.browser.people import Visitor
from tests.support.dialling import dialled, play_out, seated_pair
from tests.support.serving import ROOT, serving

COLOURS = 48  # more make the file larger, and look no better
MOVES = [0, 2, 4, 5]  # X can win now

STYLE = """
    body {
        display: grid;
        grid-template-columns: 1fr auto;
        align-items: center;
        width: 1200px;
        height: 630px;
        padding: 0 76px 0 90px;
        overflow: hidden;
    }
    body > .sheet {
        --board: 432px;
        width: 480px;
        height: 480px;
        border-radius: var(--paper-radius);
        box-shadow: var(--lift);
        rotate: 2.5deg;
    }
    body > .sheet > .pencil { left: 70%; top: 73%; }
    .words { font-family: var(--serif); line-height: 1.12; }
    .words h1 { margin: 0 0 22px; font-size: 92px; font-weight: 600; letter-spacing: -.01em; }
    .words p { margin: 0; font: 30px/1.35 'Nimbus Sans', var(--sans); color: var(--soft); }
    .brand { display: flex; gap: 12px; align-items: center; margin-top: 92px; font-size: 31px; }
    .brand { font-weight: 600; }
    .brand img { width: 38px; }
"""
ARRANGE = """() => {
    const sheet = document.querySelector('[data-part="sheet"]');
    const words = document.createElement('div');
    words.className = 'words';
    words.innerHTML = `<h1>Your move.</h1>
        <p>Tic-tac-toe and five relatives, live.<br>Tap to play. No account.</p>
        <div class="brand"><img src="/client/favicon.svg">Noughts</div>`;
    const defs = document.querySelector('.defs');
    document.body.replaceChildren(defs, words, sheet);
    document.body.className = 'grain';
}"""


async def main() -> None:
    width, height = SIZE
    async with chromium() as browser:
        with tempfile.TemporaryDirectory() as data:
            async with (
                serving(Path(data)) as server,
                dialled(server.ws) as ada,
                dialled(server.ws) as bo,
            ):
                room = await seated_pair(ada, bo)
                await play_out(room, (ada, bo), MOVES)
                context = await browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme="light",
                    reduced_motion="reduce",
                    bypass_csp=True,
                )
                visitor = Visitor(await context.new_page())
                await visitor.visit(f"{server.url}/r/{room}", "room")
                await visitor.page.evaluate(ARRANGE)
                await visitor.page.add_style_tag(content=STYLE)
                drawn = await visitor.page.screenshot(animations="disabled")
    picture = Image.open(io.BytesIO(drawn)).convert("RGB")
    quantized = picture.quantize(COLOURS, dither=Image.Dither.NONE)
    quantized.save(ROOT / "client" / PICTURE, optimize=True)


if __name__ == "__main__":
    asyncio.run(main())
