"""docs/hosting/Dockerfile without a container engine: its files exist, and its commands run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from server.config import read_settings
from tests.docs.hosting.manual import FOLDER
from tests.support.serving import HANG, ROOT, Served, serving

LINES = (FOLDER / "Dockerfile").read_text().replace("\\\n", " ").splitlines()


def test_everything_the_image_copies_is_in_the_repository() -> None:
    allowed = (ROOT / ".dockerignore").read_text().splitlines()
    copied = [line.split()[1] for line in LINES if re.match("COPY (?!--from)", line)]
    assert copied == ["requirements.txt", "noughts", "server", "client"]
    assert all((ROOT / name).exists() for name in copied)
    assert {line[1:] for line in allowed if line.startswith("!")} == set(copied)


def test_the_images_settings_are_known_to_the_server() -> None:
    [line] = [line for line in LINES if line.startswith("ENV ")]
    variables = dict(pair.split("=", 1) for pair in line.split()[1:])
    settings = read_settings([], {k: v for k, v in variables.items() if k.startswith("NOUGHTS_")})
    [volume] = [line.split()[1] for line in LINES if line.startswith("VOLUME ")]
    assert settings.store.startswith(f"sqlite:{volume}/")
    assert (settings.host, settings.port) == ("0.0.0.0", 8080)


def test_both_stages_start_from_a_base_that_can_be_pinned() -> None:
    bases = [line.split()[1] for line in LINES if line.startswith(("FROM ", "ARG PYTHON"))]
    assert bases == ["PYTHON=python:3.13-slim", "${PYTHON}", "${PYTHON}"]


def test_the_node_in_compose_has_settings_that_the_server_knows_and_a_proxy_with_the_file() -> None:
    text = (FOLDER / "compose.yaml").read_text()
    variables = dict(re.findall(r"^      (NOUGHTS_\w+): (.*)$", text, re.MULTILINE))
    assert len(read_settings([], variables).trusted_proxies) == 3
    placeholders = re.findall(r"\{\$(\w+):", (FOLDER / "Caddyfile").read_text())
    assert placeholders == re.findall(r"^      (SITE|NODE): ", text, re.MULTILINE)
    assert "./Caddyfile:/etc/caddy/Caddyfile:ro" in text


def test_the_image_does_not_run_as_root() -> None:
    steps = [line for line in LINES if re.match("FROM|USER|ENTRYPOINT", line)]
    assert [step.split()[0] for step in steps] == ["FROM", "FROM", "USER", "ENTRYPOINT"]
    assert steps[2] == "USER noughts"


def is_healthy(server: Served) -> bool:
    [check] = [line.partition("CMD ")[2] for line in LINES if line.startswith("HEALTHCHECK ")]
    python, *rest = json.loads(check)
    assert python == "python"
    ended = subprocess.run(
        [sys.executable, *rest],
        env={"NOUGHTS_PORT": str(server.port), "http_proxy": "http://127.0.0.1:9"},
        capture_output=True,
        timeout=HANG,
    )
    return ended.returncode == 0


async def test_the_health_check_passes_only_while_the_server_serves(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        assert is_healthy(server)
        await server.stop()
        assert not is_healthy(server)
