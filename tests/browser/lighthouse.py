"""`make lighthouse`: scores home, a room and a review as on a phone. A score below 97 fails.

Another program on the machine can only lower a score, so the best of three counts.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.browser.people import X_WINS
from tests.support.dialling import dialled
from tests.support.serving import serving

CATEGORIES = ("performance", "accessibility", "best-practices")
ENOUGH = 97
ATTEMPTS = 3
LIGHTHOUSE = ("npx", "--yes", "lighthouse@12")  # the last for Node 20


async def scores(url: str, report: Path) -> dict[str, int]:
    """The scores of this page, from 0 to 100."""
    chromium = os.environ.get("NOUGHTS_CHROMIUM") or shutil.which("chromium") or ""
    process = await asyncio.create_subprocess_exec(
        *LIGHTHOUSE,
        url,
        "--quiet",
        "--output=json",
        f"--output-path={report}",
        f"--only-categories={','.join(CATEGORIES)}",
        "--chrome-flags=--headless=new --no-sandbox",
        env={**os.environ, "CHROME_PATH": chromium},
    )
    if await process.wait():
        print("  Lighthouse did not come to an end. It needs Node 20 and Chromium.")
        return dict.fromkeys(CATEGORIES, 0)
    found = json.loads(report.read_text())
    for audit in found["audits"].values():
        if audit["score"] is not None and audit["score"] < 0.9 and audit.get("title"):
            print(f"  {audit['score']:.2f} {audit['title']} {audit.get('displayValue', '')}")
    return {name: round(found["categories"][name]["score"] * 100) for name in CATEGORIES}


async def best_scores(url: str, report: Path) -> dict[str, int]:
    """The best scores of a few attempts; one is enough if it is good."""
    best = dict.fromkeys(CATEGORIES, 0)
    for _ in range(ATTEMPTS):
        found = await scores(url, report)
        best = {name: max(score, found[name]) for name, score in best.items()}
        if min(best.values()) >= ENOUGH:
            break
    return best


async def main() -> int:
    lowest = 100
    with tempfile.TemporaryDirectory() as folder:
        async with (
            serving(Path(folder), "--no-limits", ai_pause=1_000) as server,
            dialled(server.ws, name="Ada") as ada,
        ):
            for _ in range(8):
                await ada.create(seats={"X": {"ai": "hard"}, "O": {"ai": "medium"}})
            room = await ada.create(seats={"X": {"ai": "hard"}, "O": {"ai": "hard"}})
            over = await ada.create(seats={"X": "me", "O": "me"})
            for ply, cell in enumerate(X_WINS):
                await ada.accept("play", room=over, cell=cell, ply=ply)
            for name, path in (("home", "/"), ("room", f"/r/{room}"), ("review", f"/r/{over}/1")):
                found = await best_scores(server.url + path, Path(folder) / f"{name}.json")
                print(name, *(f"{category} {score}" for category, score in found.items()))
                lowest = min(lowest, *found.values())
    return 0 if lowest >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
