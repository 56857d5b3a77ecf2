"""docs/hosting/Dockerfile, built and run by a container engine.

Building takes minutes, so these tests run only if CONTAINER names the engine:

    CONTAINER=docker make test ARGS=tests/docs/hosting/test_container.py

CONTAINER may have options of the engine, CONTAINER_BUILD those of `build` and CONTAINER_RUN those
of `run`, for a machine without a registry, systemd or user namespaces:

    CONTAINER="podman --storage-driver vfs --cgroup-manager cgroupfs --runtime runc"
    CONTAINER_BUILD="--isolation chroot --network host --pull=never --format docker"
    CONTAINER_RUN="--ulimit nofile=1024:4096 --ulimit nproc=1024:4096"
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen
from uuid import uuid4

import pytest

from noughts import __version__
from tests.docs.hosting.manual import commands
from tests.support.dialling import HANG, dialled
from tests.support.serving import ROOT

ENGINE = shlex.split(os.environ.get("CONTAINER", ""))
NAME = f"noughts-test-{uuid4().hex[:8]}"

pytestmark = pytest.mark.skipif(
    not ENGINE or shutil.which(ENGINE[0]) is None,
    reason="the image is built only if CONTAINER names an engine, such as CONTAINER=docker",
)


def engine(*command: str, fails: bool = False) -> str:
    """Run a command of the engine, and return what it prints."""
    ended = subprocess.run([*ENGINE, *command], cwd=ROOT, capture_output=True, text=True)
    assert (ended.returncode != 0) is fails, ended.stdout + ended.stderr
    return ended.stdout.strip()


@pytest.fixture(scope="module")
def image() -> Iterator[str]:
    """Built as documented."""
    [command] = [line for line in commands("Container") if line.startswith("docker build")]
    options = shlex.split(command)[2:]
    options[options.index("noughts")] = NAME
    extra = shlex.split(os.environ.get("CONTAINER_BUILD", ""))
    engine("build", *extra, f"--build-arg=VERSION={__version__}", *options)
    yield NAME
    engine("rmi", NAME)


@contextmanager
def running(image: str, *options: str, port: int = 8080) -> Iterator[str]:
    """The id of a container that serves; `address` says where."""
    extra = shlex.split(os.environ.get("CONTAINER_RUN", ""))
    published = f"127.0.0.1::{port}"
    id = engine("run", "--detach", "--init", "--publish", published, *extra, *options, image)
    try:
        yield id.split()[-1]
    finally:
        engine("rm", "--force", id)


async def address(id: str) -> str:
    """Where a container serves, once it does."""
    published = engine("port", id).split()[-1]
    async with asyncio.timeout(HANG):
        while True:
            try:
                assert (
                    await asyncio.to_thread(urlopen, f"http://{published}/readyz")
                ).status == 200
                return published
            except (URLError, ConnectionError):
                await asyncio.sleep(0.1)


def check(image: str) -> list[str]:
    """The image's health check."""
    [configured] = json.loads(engine("inspect", "--type", "image", image))
    # Docker has it in the configuration, Podman beside it.
    found = {**configured["Config"], **configured}["Healthcheck"]["Test"]
    assert found[0] == "CMD"
    return list(found[1:])


@pytest.mark.timeout(1200)
def test_the_image_has_labels_and_the_version_it_was_built_with(image: str) -> None:
    labels = json.loads(engine("inspect", "--format", "{{json .Config.Labels}}", image))
    said = {
        name.rpartition(".")[2]: value for name, value in labels.items() if "opencontainers" in name
    }
    assert said["version"] == __version__
    assert (said["title"], said["licenses"]) == ("Noughts", "MIT")


@pytest.mark.real_loop
@pytest.mark.timeout(300)
async def test_a_container_serves_as_an_ordinary_user_and_keeps_its_games(image: str) -> None:
    volume = f"{NAME}-volume"
    engine("volume", "create", volume)
    try:
        with running(image, "--volume", f"{volume}:/var/lib/noughts", "--read-only") as id:
            async with dialled(f"ws://{await address(id)}/ws") as ada:
                seats = {"X": {"ai": "hard"}, "O": {"ai": "hard"}}
                room = await ada.create(variant="drop", seats=seats)
                state = await ada.state(room, lambda state: len(state["moves"]) >= 2)
            assert engine("exec", id, "id", "-u") == "10001"
            kept = engine("exec", id, "ls", "-A", "/var/lib/noughts").split()
            assert {name.partition(".")[0] for name in kept} == {"noughts"}
            engine("stop", id)
            assert engine("inspect", "--format", "{{.State.ExitCode}}", id) == "0"
        with running(image, "--volume", f"{volume}:/var/lib/noughts") as id:
            async with dialled(f"ws://{await address(id)}/ws") as bob:
                assert (await bob.watch(room))["moves"][:2] == state["moves"][:2]
    finally:
        engine("volume", "rm", "--force", volume)


@pytest.mark.real_loop
@pytest.mark.timeout(300)
async def test_the_health_check_follows_the_port(image: str) -> None:
    with running(image, "--env", "NOUGHTS_PORT=9000", port=9000) as id:
        await address(id)
        engine("exec", id, *check(image))
        engine("exec", "--env", "NOUGHTS_PORT=8080", id, *check(image), fails=True)
