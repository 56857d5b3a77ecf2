"""The wheel: what is in it, and what it does where it is installed."""

from __future__ import annotations

import re
import tarfile
from collections.abc import AsyncIterator
from email.message import Message
from email.parser import Parser
from importlib.metadata import requires, version
from pathlib import Path
from zipfile import ZipFile

import pytest
import pytest_asyncio
from packaging.requirements import Requirement

from noughts import __version__
from tests.docs.hosting.manual import commands
from tests.support.dialling import dialled
from tests.support.fetching import fetch
from tests.support.installing import Environment, build, run
from tests.support.serving import ROOT, Served, serving

BOT = ("msgspec", "websockets")  # the libraries of a program that only talks to a server


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as file:
        [path] = [name for name in file.namelist() if name.endswith("/METADATA")]
        return Parser().parsestr(file.read(path).decode())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    environment = Environment(tmp_path_factory.mktemp("environment"))
    environment.install(wheel)
    return environment


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(
    installed: Environment, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    """The installed command in an empty folder, with its usual store."""
    folder = tmp_path_factory.mktemp("elsewhere")
    command = (str(installed.bin / "noughts"), "serve")
    async with serving(folder, command=command, store=None) as served:
        yield served
        assert await served.stop() == 0
    assert (folder / "noughts.db").exists()
    assert "Traceback" not in served.log


def test_the_wheel_holds_every_file_of_the_server_and_the_page_and_nothing_else(
    wheel: Path,
) -> None:
    files = [path for top in ("noughts", "server", "client") for path in (ROOT / top).rglob("*.*")]
    named = {path.relative_to(ROOT).as_posix() for path in files if path.is_file()}
    kept = {name for name in named if not re.search(r"/__pycache__/|/\.", name)}
    inside = {name if name.startswith("noughts/") else f"noughts/house/{name}" for name in kept}
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == inside
    assert {"noughts/house/client/index.html", "noughts/house/server/app.py"} < held


def test_the_metadata_names_version_licence_and_libraries(metadata: Message) -> None:
    assert metadata["Version"] == __version__
    assert (metadata["License-Expression"], metadata["License-File"]) == ("MIT", "LICENSE")
    assert metadata["Provides-Extra"] == "fleet"
    for line in metadata.get_all("Requires-Dist", []):
        needed = Requirement(line)
        if needed.marker is None or needed.marker.evaluate({"extra": "fleet"}):
            assert needed.specifier.contains(version(needed.name)), line


def test_the_source_distribution_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path)) as source:
        source.extractall(tmp_path, filter="data")
    [folder] = [path for path in tmp_path.iterdir() if path.is_dir()]
    again = build("wheel", tmp_path / "again", source=folder)
    assert again.name == wheel.name
    with ZipFile(wheel) as one, ZipFile(again) as other:
        assert one.namelist() == other.namelist()
        assert all(one.read(name) == other.read(name) for name in one.namelist())


def test_one_package_and_one_command_are_installed(installed: Environment, tmp_path: Path) -> None:
    assert installed.top == {"noughts"}
    assert run(installed.bin / "noughts", "--version", cwd=tmp_path) == f"noughts {__version__}\n"
    help = run(installed.bin / "python", "-m", "noughts", "serve", "--help", cwd=tmp_path)
    assert "--trusted-proxy" in help


@pytest.mark.asyncio(loop_scope="session")
async def test_the_installed_page_comes_with_every_file_it_names(server: Served) -> None:
    page = fetch(server, "/").text
    named = set(re.findall(r'/client/[^"#]+', page))
    assert len(named) > 20
    for path in named:
        assert fetch(server, path).status == 200, path


@pytest.mark.asyncio(loop_scope="session")
async def test_the_installed_ai_searches_in_processes_of_its_own(server: Served) -> None:
    async with dialled(server.ws) as ada:
        seats = {"X": {"ai": "hard"}, "O": {"ai": "hard"}}
        room = await ada.create(variant="drop", seats=seats)
        state = await ada.state(room, lambda state: len(state["moves"]) >= 2)
    assert state["status"] == "playing"
    assert len(server.family) > 1
    assert "terminated abruptly" not in server.log


def test_the_documented_installation_for_bots_needs_two_libraries(
    wheel: Path, metadata: Message, tmp_path: Path
) -> None:
    [command] = [line for line in commands("Install") if "msgspec" in line]
    named = re.findall(r'"([^"]+)"', command)
    assert [Requirement(each).name for each in named] == list(BOT)
    assert set(named) <= set(metadata.get_all("Requires-Dist", []))
    for name in BOT:
        needed = [Requirement(line) for line in requires(name) or []]
        assert all(each.marker and "extra" in str(each.marker) for each in needed)

    bots = Environment(tmp_path / "bots", *BOT)
    bots.install(wheel)
    python, noughts = bots.bin / "python", bots.bin / "noughts"
    program = "from noughts import connect; connect('http://127.0.0.1:9')"
    assert run(python, "-c", program, cwd=tmp_path) == ""
    assert "'aiohttp', which is not installed" in run(noughts, "serve", cwd=tmp_path, status=2)
