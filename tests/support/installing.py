"""Wheels of this checkout, installed into fresh virtual environments without any download."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from tests.support.serving import HANG, ROOT

LIBRARIES = Path(sysconfig.get_path("purelib"))  # those of the tests


def run(*command: str | Path, cwd: Path = ROOT, status: int = 0) -> str:
    """Run a program that exits with `status`, and return everything it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=HANG
    )
    assert ended.returncode == status, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def build(target: str, folder: Path, *, source: Path = ROOT) -> Path:
    """Build a `wheel` or an `sdist` into a folder, and return its path."""
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", folder, cwd=source)
    [built] = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return built


class Environment:
    """A virtual environment that shares the libraries of the tests: all, or those named."""

    def __init__(self, folder: Path, *libraries: str) -> None:
        venv.create(folder, with_pip=False, symlinks=True)
        self.bin = folder / "bin"
        [self.site] = folder.glob("lib/python*/site-packages")
        for name in libraries:
            (self.site / name).symlink_to(LIBRARIES / name)
        if not libraries:
            (self.site / "tests.pth").write_text(f"{LIBRARIES}\n")

    def install(self, wheel: Path) -> None:
        python = self.bin / "python"
        options = ("install", "--quiet", "--no-deps", "--no-index")
        if (LIBRARIES / "pip").exists():
            run(sys.executable, "-m", "pip", f"--python={python}", *options, wheel)
        else:  # a virtual environment made by uv has no pip
            run(shutil.which("uv") or "uv", "pip", *options, f"--python={python}", wheel)

    @property
    def top(self) -> set[str]:
        """What is installed at the top, without metadata and what `__init__` has put there."""
        return {
            path.name
            for path in self.site.iterdir()
            if path.suffix not in (".pth", ".dist-info") and not path.is_symlink()
        }
