"""`make seeded`: sow each bug in a copy of the project, and see the tests that it names turn red.

`ARGS="host outbox"` sows only bugs in files whose paths contain one of these words.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.ordeals.seeded.bugs import BUGS, Bug
from tests.support.serving import ROOT

FIELDS = 2  # copies of the project, so many bugs at the same time
HEAVY = (".venv", "node_modules")  # linked to
LEFT = shutil.ignore_patterns(".git", *HEAVY, "__pycache__", ".*_cache", "screenshots", "plots")
WITHIN = 300.0  # seconds; a test that hangs has noticed, too


def main(words: list[str]) -> int:
    wanted = [bug for bug in BUGS if not words or any(word in bug.file for word in words)]
    fields: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="noughts-") as folder:
        copies = [_copy(Path(folder, str(number))) for number in range(FIELDS)]
        for field in copies:
            fields.put(field)
        if _are_red(wanted, copies[0]):
            print("some of the tests are red without any bug")
            return 1

        def sow(bug: Bug) -> bool:
            field = fields.get()
            try:
                is_caught = _is_caught(bug, field)
            finally:
                fields.put(field)
            print(
                f"{'caught  ' if is_caught else 'SURVIVED'}  {bug.file}: {bug.promise}", flush=True
            )
            return is_caught

        with ThreadPoolExecutor(FIELDS) as sowers:
            caught = sum(sowers.map(sow, wanted))
    print(f"{caught} of {len(wanted)} bugs were caught")
    return 0 if caught == len(wanted) else 1


def _copy(field: Path) -> Path:
    shutil.copytree(ROOT, field, ignore=LEFT)
    for path in (Path(".venv"), Path("tests/client/node_modules")):
        if (ROOT / path).exists():
            (field / path).symlink_to(ROOT / path)
    return field


def _is_caught(bug: Bug, field: Path) -> bool:
    """Whether the tests are red with the bug."""
    file = field / bug.file
    sound = file.read_text(encoding="utf-8")
    file.write_text(sound.replace(bug.before, bug.after, 1), encoding="utf-8")
    try:
        return _are_red({bug}, field)
    finally:
        file.write_text(sound, encoding="utf-8")


def _are_red(bugs: Collection[Bug], field: Path) -> bool:
    """Whether one of the tests that these bugs name fails."""
    tests = sorted({path for bug in bugs for path in bug.caught_by.split()})
    for runner, suffix in ((NODE, ".js"), (PYTEST, "")):
        own = [path for path in tests if path.endswith(".js") == bool(suffix)]
        if own and _ends_red([*runner, *own], field):
            return True
    return False


def _ends_red(command: list[str], field: Path) -> bool:
    # Compiled modules are told apart by seconds and sizes, which a bug may leave as they are.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(
            command,
            cwd=field,
            env=environment,
            capture_output=True,
            timeout=WITHIN,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    return ended.returncode != 0


NODE = ("node", "--test")
PYTEST = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
