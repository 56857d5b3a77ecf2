"""The units in docs/hosting: systemd accepts them, and Noughts their commands and settings."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from server.config import read_settings
from tests.docs.hosting.manual import FOLDER, section
from tests.support.serving import ROOT

UNIT = (FOLDER / "noughts.service").read_text()
SECURITY_SINCE = 250  # the first version of systemd that rates a unit without running it

tool = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing"
)


UNITS = ("noughts.service", "noughts-backup.service", "noughts-backup.timer")


def analyse(folder: Path, name: str, *arguments: str) -> str:
    """The output of systemd-analyze for a unit, with the paths of this checkout."""
    for each in UNITS:  # a timer refers to its service
        text = (FOLDER / each).read_text().replace("/opt/noughts/.venv/bin/noughts", sys.executable)
        (folder / each).write_text(text.replace("/opt/noughts", str(ROOT)))
    ended = subprocess.run(
        ["systemd-analyze", *arguments, folder / name],
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{folder}:"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


@tool
@pytest.mark.parametrize("name", UNITS)
def test_systemd_accepts_the_unit(name: str, tmp_path: Path) -> None:
    said = analyse(tmp_path, name, "verify", "--man=no")
    assert "noughts" not in said, said


@tool
@pytest.mark.parametrize("name", UNITS[:2])
def test_the_units_exposure_is_as_low_as_documented(name: str, tmp_path: Path) -> None:
    version = subprocess.run(["systemd-analyze", "--version"], capture_output=True, text=True)
    if int(re.findall(r"\d+", version.stdout)[0]) < SECURITY_SINCE:
        pytest.skip(f"systemd is older than {SECURITY_SINCE}")
    [most] = re.findall(r"at most (\d\.\d)", section("systemd"))
    analyse(tmp_path, name, "security", "--offline=yes", f"--threshold={float(most) * 10:.0f}")


def test_the_backup_keeps_the_copies_of_some_days(
    tmp_path: Path,
) -> None:
    unit = (FOLDER / "noughts-backup.service").read_text()
    backup, clean = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    [days] = re.findall(r"^Environment=DAYS=(\d+)$", unit, re.MULTILINE)
    [program, _, command] = shlex.split(backup.replace("%%", "%"))
    words = command.split(maxsplit=4)
    assert (program, words[:2]) == ("/bin/sh", ["exec", "/opt/noughts/.venv/bin/noughts"])
    assert (words[2], words[3]) == ("backup", "sqlite:/var/lib/noughts/noughts.db")
    said = subprocess.run(
        ["sh", "-c", f"echo {words[4]}"], capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"/var/lib/noughts/backups/\d{4}-\d\d-\d\d\.db\n", said.stdout)

    for age in (1, int(days) + 2):
        copy = tmp_path / f"{age}.db"
        copy.touch()
        os.utime(copy, (time.time() - age * 86_400,) * 2)
    here = clean.replace("${DAYS}", days).replace("/var/lib/noughts/backups", str(tmp_path))
    subprocess.run(shlex.split(here), check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["1.db"]


def test_the_units_command_and_settings_are_known_to_the_server() -> None:
    [command] = re.findall(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)
    assert shlex.split(command) == ["/opt/noughts/.venv/bin/noughts", "serve"]
    variables = dict(re.findall(r"^Environment=(\w+)=(.*)$", UNIT, re.MULTILINE))
    settings = read_settings([], variables)
    [folder] = re.findall(r"^StateDirectory=(.*)$", UNIT, re.MULTILINE)
    assert settings.store == f"sqlite:/var/lib/{folder}/noughts.db"
    [runtime] = re.findall(r"^RuntimeDirectory=(.*)$", UNIT, re.MULTILINE)
    assert settings.admin == f"/run/{runtime}/admin.sock"
    assert [str(network) for network in settings.trusted_proxies] == ["127.0.0.1/32"]
    assert settings.host == "127.0.0.1"


def test_the_unit_allows_descriptors_for_all_sockets_and_time_to_stop() -> None:
    limits = read_settings([], {}).limits
    [descriptors] = re.findall(r"^LimitNOFILE=(\d+)$", UNIT, re.MULTILINE)
    assert int(descriptors) * limits.descriptors * 0.9 > limits.connections
    [seconds] = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT, re.MULTILINE)
    assert int(seconds) >= 10
