"""docs/hosting/Dockerfile without a container engine: its files exist, and its commands run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from server.config import read_settings
from tests.docs.hosting.manual import FOLDER, changed
from tests.support.serving import HANG, ROOT, Served, serving

LINES = (FOLDER / "Dockerfile").read_text().replace("\\\n", " ").splitlines()


def test_everything_the_image_copies_is_in_the_repository() -> None:
    copied = [line.split()[1] for line in LINES if re.match("COPY (?!--from)", line)]
    assert copied == ["requirements.txt", "noughts", "server", "client"]
    assert all((ROOT / name).exists() for name in copied)


def test_the_images_settings_are_known_to_the_server() -> None:
    [line] = [line for line in LINES if line.startswith("ENV ")]
    variables = dict(pair.split("=", 1) for pair in line.split()[1:])
    settings = read_settings([], variables)
    [volume] = [line.split()[1] for line in LINES if line.startswith("VOLUME ")]
    assert settings.store.startswith(f"sqlite:{volume}/")
    assert (settings.host, settings.port) == ("0.0.0.0", 8080)


def test_the_image_does_not_run_as_root() -> None:
    steps = [line for line in LINES if re.match("FROM|USER|ENTRYPOINT", line)]
    assert [step.split()[0] for step in steps] == ["FROM", "FROM", "USER", "ENTRYPOINT"]
    assert steps[2] == "USER noughts"


def is_healthy(server: Served) -> bool:
    [check] = [line.partition("CMD ")[2] for line in LINES if line.startswith("HEALTHCHECK ")]
    python, *rest = json.loads(changed(check, {":8080": f":{server.port}"}))
    assert python == ".venv/bin/python"
    ended = subprocess.run([sys.executable, *rest], capture_output=True, timeout=HANG, check=False)
    return ended.returncode == 0


async def test_the_health_check_passes_only_while_the_server_serves(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        assert is_healthy(server)
        await server.stop()
        assert not is_healthy(server)
