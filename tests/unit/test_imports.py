"""Imports point one way, and each library is imported only by the modules that need it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "server").rglob("*.py"), *(ROOT / "noughts").rglob("*.py")])

# A module may import modules above it in the map of docs/architecture.md, and none below.
MAP = re.compile(r"^\| `.*?\|", re.MULTILINE)
ORDER = [
    ("" if name.startswith("noughts/") else "server.") + name.replace("/", ".")[:-3]
    for row in MAP.findall((ROOT / "docs/architecture.md").read_text(encoding="utf-8"))
    for name in re.findall(r"`([\w/]+\.py)`", row)
]
OURS = {"noughts", "server"}
PLACES = {name.removesuffix(".__init__"): place for place, name in enumerate(ORDER)}
# Their `__init__` holds a docstring only.
PACKAGES = {
    "noughts",
    "server",
    "noughts.terminal",
    *(f"server.{n}" for n in ("core", "wire", "fleet", "ai", "live", "web", "operate")),
}
# The modules that may import each library. Other imports are ours or the standard library's.
LIBRARIES = {
    "aiohttp": {
        "server.web.admission",
        "server.web.api",
        "server.web.entrance",
        "server.web.files",
        "server.web.handshake",
        "server.web.health",
        "server.web.pages",
        "server.web.reach",
        "server.web.stream",
        "server.web.websocket",
        "server.operate.door",
        "server.app",
        "server.__main__",
    },
    "msgspec": {
        "noughts.shapes",
        "noughts.messages",
        "noughts.asyncapi",
        "noughts.schema",
        "noughts.terminal.board",  # fields that a state may lack, as in the next modules
        "noughts.terminal.nested",
        "noughts.terminal.words",
        "noughts.reading",
        "noughts.line",
        "noughts.room",
        "noughts.client",
        "server.core.record",
        "server.codec",
        "server.wire.requests",
        "server.wire.frames",
        "server.wire.scoresheet",
        "server.wire.snapshots",
        "server.store.events_table",
        "server.store.sqlite",
        "server.fleet.heads",
        "server.fleet.nats",
        "server.live.nodes",  # messages between nodes, as in the next modules
        "server.live.reports",
        "server.live.draft",
        "server.live.driving",
        "server.live.lobby",  # keeps each room's encoded summary
        "server.live.guests",
        "server.live.notices",
        "server.live.bans",  # the file that keeps them
        "server.operate.shapes",
        "server.operate.door",
        "server.operate.ask",
        "server.operate.close",
        "server.operate.connections",
        "server.operate.rooms",
        "server.operate.bans",
    },
    "nats": {"server.fleet.line", "server.fleet.nats"},
    "prometheus_client": {"server.web.prometheus"},
    "segno": {"server.web.pages"},
    "sqlite3": {
        "server.store.events_table",
        "server.store.reading",
        "server.store.schema",
        "server.store.sqlite",
    },
    "uvloop": {"server.__main__"},
    "websockets": {"noughts.dialling", "noughts.line"},
}


def module(path: Path) -> str:
    dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return dotted.removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    """The full name of every module that this file imports anywhere."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: say the whole name"
            assert node.module is not None
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if exists(name) else str(node.module) for name in whole)


def exists(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def place(name: str) -> int:
    """The row of a module in the map; packages without code come first."""
    return -1 if name in PACKAGES else PLACES[name]


def test_every_module_has_its_place_in_the_map() -> None:
    assert len(FILES) > 20
    assert sorted(map(module, FILES)) == sorted([*PLACES, *PACKAGES])


@pytest.mark.parametrize("path", FILES, ids=module)
def test_imports_point_one_way(path: Path) -> None:
    ours = {name for name in imports(path) if name.split(".")[0] in OURS}

    assert {name for name in ours if place(name) >= place(module(path)) > -1} == set()


@pytest.mark.parametrize("path", FILES, ids=module)
def test_a_library_is_imported_only_where_it_is_at_home(path: Path) -> None:
    for name in imports(path):
        library = name.split(".")[0]
        if library in LIBRARIES:
            assert module(path) in LIBRARIES[library], f"{library} is not for {module(path)}"
        else:
            assert library in OURS or library in sys.stdlib_module_names, library


@pytest.mark.parametrize("path", sorted((ROOT / "server" / "core").glob("*.py")), ids=module)
def test_the_core_touches_no_clock_no_dice_and_no_io(path: Path) -> None:
    outside = {name.split(".")[0] for name in imports(path)} - OURS

    assert outside <= {
        "__future__", "collections", "dataclasses", "enum", "fractions", "functools", "itertools",
        "msgspec", "typing",
    }  # fmt: skip


def loaded_by(name: str) -> set[str]:
    """The modules that importing `name` adds to a fresh interpreter."""
    program = (
        f"import sys; before = set(sys.modules); import {name}; print(*set(sys.modules) - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("server.tictactoe", {"server", "server.tictactoe"}),
        ("server.ai.worker", {"server", "server.ai", "server.ai.worker"}),
    ],
)
def test_a_light_module_loads_the_core_and_the_standard_library_only(
    name: str, beside: set[str]
) -> None:
    loaded = loaded_by(name)

    ours = {each for each in loaded if each.split(".")[0] == "server"}
    assert {each for each in ours if not each.startswith("server.core")} == beside
    others = {each.split(".")[0] for each in loaded - ours}
    assert others - sys.stdlib_module_names - {"__mp_main__"} == set()  # another name of __main__


def test_the_classic_exercise_loads_nothing_heavy() -> None:
    heavy = {"asyncio", "json", "multiprocessing", "socket", "sqlite3", "ssl", "hashlib"}

    assert loaded_by("server.tictactoe") & heavy == set()


@pytest.mark.parametrize("name", ["noughts", "noughts.messages"])
def test_what_the_server_imports_loads_nothing_of_the_client(name: str) -> None:
    assert loaded_by(name) & {"asyncio", "websockets", "noughts.client", "noughts.errors"} == set()


def test_the_client_never_imports_the_server() -> None:
    loaded = loaded_by("noughts.client, noughts.sync, noughts.bot")

    assert {each for each in loaded if each.split(".")[0] == "server"} == set()
    others = {each.split(".")[0] for each in loaded} - sys.stdlib_module_names
    assert others <= {"noughts", "msgspec", "websockets", "typing_extensions"}
