"""`python -m tests.ordeals.conformance`: Autobahn's fuzzing client against our socket.

Autobahn|Testsuite runs on Python 2.7 only: name one with PYTHON27, or have `python2.7` on PATH, or
pyenv. It is installed once, into `.venv27`. The exit code is 1 if any case went worse than before.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from asyncio.subprocess import create_subprocess_exec
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.ordeals.conformance.echo import echoing
from tests.support.serving import ROOT

SUITE = "autobahntestsuite==0.8.2"  # a later release is incomplete
MAKER = "virtualenv<20.22"  # the last that makes environments for 2.7
VENV = ROOT / ".venv27"
READY = VENV / "ready"
AGENT = "Noughts"
WITHIN = 300.0  # seconds; only a hang takes so long

# Class 9 is load, 12 and 13 are compression, which is off.
LEFT_OUT = ["9.*", "12.*", "13.*"]
CASES = 247
# From best to worst. The first three all keep to the RFC.
BEHAVIOURS = ["OK", "INFORMATIONAL", "NON-STRICT", "UNIMPLEMENTED", "UNCLEAN", "WRONG CODE"]
BEHAVIOURS += ["FAILED BY CLIENT", "FAILED"]
# What is known and accepted; every other case is OK.
BASELINE = {
    "6.4.1": "NON-STRICT",  # text that is not UTF-8 is noticed at the end of the message, not
    "6.4.2": "NON-STRICT",  # in the middle of it
    "6.4.3": "NON-STRICT",
    "6.4.4": "NON-STRICT",
    "7.1.6": "INFORMATIONAL",
    "7.13.1": "INFORMATIONAL",
    "7.13.2": "INFORMATIONAL",
}

Behaviours = Mapping[str, str]


def main() -> int:
    if not READY.exists():
        python = next(find_python27(), None)
        if python is None:
            print("Autobahn needs Python 2.7: set PYTHON27 to one.", file=sys.stderr)
            return 2
        install(python)
    with TemporaryDirectory(prefix="noughts-") as folder:
        behaviours = asyncio.run(fuzz(Path(folder), ["*"]))
        # Autobahn waits a second for the end of a connection, which on a busy machine may be short.
        if late := [case for case, behaviour in behaviours.items() if behaviour == "UNCLEAN"]:
            print(f"once more, since they ended late: {', '.join(late)}")
            behaviours = {**behaviours, **asyncio.run(fuzz(Path(folder), late))}
        return report(behaviours)


def find_python27() -> Iterator[str]:
    """Those that really run: a name on PATH may be a stub."""
    names = [os.environ.get("PYTHON27", ""), "python2.7", "python2"]
    if root := os.environ.get("PYENV_ROOT") or shutil.which("pyenv"):
        folder = Path(root) if Path(root).is_dir() else Path(root).resolve().parents[1]
        names += [str(path) for path in folder.glob("versions/2.7*/bin/python")]
    question = "import sys; sys.exit(sys.version_info[:2] != (2, 7))"
    for path in filter(None, map(shutil.which, names)):
        if not subprocess.run([path, "-c", question], capture_output=True, check=False).returncode:
            yield path


def install(python: str) -> None:
    print(f"Installing {SUITE} into {VENV.name} (about a minute) ...", file=sys.stderr)
    shutil.rmtree(VENV, ignore_errors=True)
    uv = shutil.which("uv")
    pip = [uv, "pip"] if uv else [sys.executable, "-m", "pip"]
    with TemporaryDirectory(prefix="noughts-") as folder:
        run(*pip, "install", "--quiet", "--target", folder, MAKER)
        run(sys.executable, "-m", "virtualenv", "-q", "-p", python, str(VENV), PYTHONPATH=folder)
    run(str(VENV / "bin" / "pip"), "install", "--quiet", SUITE)
    READY.touch()


def run(*command: str, **variables: str) -> None:
    """Run it in silence, unless it fails."""
    environment = {**os.environ, **variables}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"{' '.join(command)}\n{ended.stdout}{ended.stderr}")


async def fuzz(folder: Path, cases: list[str]) -> Behaviours:
    """How each of these cases went."""
    async with echoing() as url:
        wishes = {
            "outdir": str(folder / "report"),
            "servers": [{"agent": AGENT, "url": url}],
            "cases": cases,
            "exclude-cases": LEFT_OUT,
            "exclude-agent-cases": {},
        }
        (folder / "fuzz.json").write_text(json.dumps(wishes))
        command = (VENV / "bin" / "wstest", "-m", "fuzzingclient", "-s", "fuzz.json")
        with (folder / "log").open("wb") as log:
            process = await create_subprocess_exec(*command, cwd=folder, stdout=log, stderr=log)
        try:
            code = await asyncio.wait_for(process.wait(), WITHIN)
        finally:
            if process.returncode is None:
                process.kill()
    if code:
        sys.exit((folder / "log").read_text())
    seen = json.loads((folder / "report" / "index.json").read_text())[AGENT]
    return {case: worst(each["behavior"], each["behaviorClose"]) for case, each in seen.items()}


def worst(*behaviours: str) -> str:
    return max(behaviours, key=BEHAVIOURS.index)


def report(behaviours: Behaviours) -> int:
    """Print the table, and what is not as it was; 1 if anything is worse."""
    usual = Counter(BASELINE.values())
    usual["OK"] = CASES - usual.total()
    seen = Counter(behaviours.values())
    print("| behaviour | cases | baseline |\n|---|---|---|")
    for behaviour in BEHAVIOURS:
        if seen[behaviour] or usual[behaviour]:
            print(f"| {behaviour} | {seen[behaviour]} | {usual[behaviour]} |")
    print(f"| all | {len(behaviours)} | {CASES} |")
    is_worse = len(behaviours) < CASES
    for case, behaviour in behaviours.items():
        before = BASELINE.get(case, "OK")
        if behaviour != before:
            print(f"{case}: {behaviour}, was {before}")
            is_worse |= worst(behaviour, before) == behaviour
    print("worse than the baseline" if is_worse else "no worse than the baseline")
    return int(is_worse)


if __name__ == "__main__":
    sys.exit(main())
