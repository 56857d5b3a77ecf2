"""Imports point one way, and each library is known to the few files whose business it is."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted((ROOT / "server").rglob("*.py"))

# From left to right: a layer may import itself and what stands before it, never what comes after.
LAYERS = [
    {"core"},
    {"tictactoe", "codec", "identity"},
    {"wire"},
    {"metrics"},
    {"store"},
    {"live"},
    {"web"},
    {"config"},
    {"app"},
    {"__main__"},
]
# Whose business a library is; everything else is the standard library's or ours.
LIBRARIES = {
    "aiohttp": {
        "server.web.door",
        "server.web.pages",
        "server.web.socket",
        "server.app",
        "server.__main__",
    },
    "msgspec": {
        "server.core.record",
        "server.codec",
        "server.wire.requests",
        "server.wire.frames",
        "server.wire.snapshots",
        "server.store.journal",
        "server.live.wall",  # the wall keeps each room's encoded summary
    },
    "prometheus_client": {"server.web.exposition"},
    "segno": {"server.web.pages"},
    "sqlite3": {"server.store.journal", "server.store.schema", "server.store.sqlite"},
    "uvloop": {"server.__main__"},
}


def module(path: Path) -> str:
    dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return dotted.removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    """Every module this file imports anywhere in it, by its full name."""
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


def layer(name: str) -> int:
    """The number of the layer a module of ours is in; `server` itself is under them all."""
    _, *rest = name.split(".")
    if not rest:
        return -1
    return next(number for number, names in enumerate(LAYERS) if rest[0] in names)


def test_every_file_has_its_layer() -> None:
    assert len(FILES) > 20
    assert all(layer(module(path)) >= -1 for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=module)
def test_imports_point_one_way(path: Path) -> None:
    ours = {name for name in imports(path) if name.split(".")[0] == "server"}
    own = layer(module(path))

    assert {name for name in ours if layer(name) > own} == set()
    # Two modules side by side in one layer know nothing of each other; a package knows itself.
    package = module(path).split(".")[1:2]
    assert {n for n in ours if layer(n) == own and n.split(".")[1:2] != package} == set()


@pytest.mark.parametrize("path", FILES, ids=module)
def test_a_library_is_imported_only_where_it_is_at_home(path: Path) -> None:
    for name in imports(path):
        library = name.split(".")[0]
        if library in LIBRARIES:
            assert module(path) in LIBRARIES[library], f"{library} is not for {module(path)}"
        else:
            assert library == "server" or library in sys.stdlib_module_names, library


@pytest.mark.parametrize("path", sorted((ROOT / "server" / "core").glob("*.py")), ids=module)
def test_the_core_touches_no_clock_no_dice_and_no_io(path: Path) -> None:
    outside = {name.split(".")[0] for name in imports(path)} - {"server"}

    assert outside <= {
        "__future__", "collections", "dataclasses", "enum", "fractions", "functools", "msgspec",
        "typing",
    }  # fmt: skip


def loaded_by(name: str) -> set[str]:
    """All that a fresh interpreter has loaded more after importing `name`."""
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
        ("server.live.worker", {"server", "server.live", "server.live.worker"}),
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
