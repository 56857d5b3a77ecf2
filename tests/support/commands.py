"""`noughts COMMAND …` in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.serving import HANG, ROOT


def noughts(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "noughts", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )


def said(ended: subprocess.CompletedProcess[str], code: int = 0) -> str:
    """What a command has printed; a failing one prints one sentence instead."""
    assert ended.returncode == code, ended
    assert "Traceback" not in ended.stderr, ended.stderr
    if code == 0:
        assert ended.stderr == ""
        return ended.stdout
    return ended.stderr
