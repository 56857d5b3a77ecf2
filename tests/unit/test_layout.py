"""The layout of the tests: each module has its unit test, and no test module imports another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
UNIT = TESTS / "unit"

MODULES = {
    path.relative_to(ROOT).as_posix(): path
    for package in ("noughts", "server")
    for path in sorted((ROOT / package).rglob("*.py"))
    if path.name != "__init__.py"
}

# Modules without a unit test, each with the reason. An outdated line fails the test.
WITHOUT = {
    "noughts/bot.py": "tests/e2e/test_bot_command.py runs the command, also with wrong functions",
    "noughts/bundle.py": "tests/docs/hosting/test_wheel.py runs an installed copy",
    "noughts/chooser.py": "the same: what it explains is what the command prints",
    "noughts/client.py": "tests/e2e/test_client.py and test_client_faults.py dial real servers",
    "noughts/dialling.py": "test_line.py dials servers that refuse in every way",
    "noughts/errors.py": "declarations only: the tests of the client raise them all",
    "noughts/sync.py": "tests/e2e/test_client.py plays through both faces",
    "noughts/terminal/attending.py": "tests/e2e/test_terminal.py runs it, as the next three",
    "noughts/terminal/screen.py": "needs a terminal",
    "noughts/terminal/session.py": "needs a terminal",
    "noughts/terminal/watch.py": "needs a terminal or a server",
    **{
        f"server/operate/{name}.py": "tests/e2e/test_operator.py runs it on a real server"
        for name in (
            "announce",
            "ask",
            "ban",
            "bans",
            "close",
            "connections",
            "door",
            "shapes",
            "unban",
        )
    },
    **{
        f"server/operate/{name}.py": "tests/e2e/test_reading_stores.py runs it on real stores"
        for name in ("backup", "check", "log", "rooms")
    },
    "server/core/commands.py": "declarations only: the tests of decide use them all",
    "server/core/events.py": "declarations only: the tests of room and codec use them all",
    "server/fleet/engine.py": "declarations only: the tests of the store use them all",
    "server/store/memory.py": "test_store.py runs the contract of every store",
    "server/wire/closing.py": "one exception: the tests of peer, reader and websocket raise it",
}


def unit_tests(module: str) -> list[Path]:
    """The test files of a module: `test_name.py`, or several named `test_name_part.py`.

    `server/live/host.py` has its tests in `tests/unit/live`, `noughts/messages.py` in
    `tests/unit/noughts`.
    """
    path = Path(module.removeprefix("server/"))
    folder, name = UNIT / path.parent, path.stem.strip("_")
    return [*folder.glob(f"test_{name}.py"), *folder.glob(f"test_{name}_*.py")]


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_its_unit_test(module: str) -> None:
    assert bool(unit_tests(module)) != (module in WITHOUT)


def test_every_exception_names_a_module() -> None:
    assert WITHOUT.keys() <= MODULES.keys()


def imported(path: Path) -> Iterator[str]:
    """The dotted name of everything that a file imports, functions included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module or ''}.{alias.name}" for alias in node.names)


def is_test_module(name: str) -> bool:
    return name.startswith("tests.") and any(
        part == "conftest" or part.startswith("test_") for part in name.split(".")
    )


def test_no_test_module_is_imported() -> None:
    """Helpers that several test modules share live in `tests/support`."""
    folders = [folder for folder in TESTS.iterdir() if folder.name != "client"]  # all JavaScript
    files = [path for folder in folders for path in folder.rglob("*.py")]
    assert len(files) > 100

    assert [(path.name, n) for path in files for n in imported(path) if is_test_module(n)] == []
