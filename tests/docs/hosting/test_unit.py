"""docs/hosting/noughts.service: systemd accepts it, and the server accepts its settings."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from server.config import read_settings
from tests.docs.hosting.manual import FOLDER, changed, section
from tests.support.serving import ROOT

UNIT = (FOLDER / "noughts.service").read_text()
SECURITY_SINCE = 250  # the first version of systemd that rates a unit without running it

tool = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing"
)


def analyse(folder: Path, *arguments: str) -> str:
    """The output of systemd-analyze for the unit, with the paths of this checkout."""
    unit = folder / "noughts.service"
    python = {"/opt/noughts/.venv/bin/python": sys.executable}
    unit.write_text(changed(changed(UNIT, python), {"/opt/noughts": str(ROOT)}))
    ended = subprocess.run(
        ["systemd-analyze", *arguments, unit], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


@tool
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    said = analyse(tmp_path, "verify", "--man=no")
    assert "noughts.service" not in said, said


@tool
def test_the_units_exposure_is_as_low_as_documented(tmp_path: Path) -> None:
    version = subprocess.run(["systemd-analyze", "--version"], capture_output=True, text=True)
    if int(re.findall(r"\d+", version.stdout)[0]) < SECURITY_SINCE:
        pytest.skip(f"systemd is older than {SECURITY_SINCE}")
    [most] = re.findall(r"at most (\d\.\d)", section("systemd"))
    analyse(tmp_path, "security", "--offline=yes", f"--threshold={float(most) * 10:.0f}")


def test_the_units_command_and_settings_are_known_to_the_server() -> None:
    [command] = re.findall(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)
    assert shlex.split(command)[1:] == ["-m", "server"]
    variables = dict(re.findall(r"^Environment=(\w+)=(.*)$", UNIT, re.MULTILINE))
    settings = read_settings([], variables)
    [folder] = re.findall(r"^StateDirectory=(.*)$", UNIT, re.MULTILINE)
    assert settings.store == f"sqlite:/var/lib/{folder}/noughts.db"
    assert [str(network) for network in settings.trusted_proxies] == ["127.0.0.1/32"]
    assert settings.host == "127.0.0.1"


def test_the_unit_allows_descriptors_for_all_sockets_and_time_to_stop() -> None:
    limits = read_settings([], {}).limits
    [descriptors] = re.findall(r"^LimitNOFILE=(\d+)$", UNIT, re.MULTILINE)
    assert int(descriptors) * limits.descriptors * 0.9 > limits.connections
    [seconds] = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT, re.MULTILINE)
    assert int(seconds) >= 10
