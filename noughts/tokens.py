"""A player's secret, kept in a file, so that a program is the same player when it starts again."""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from noughts.errors import Error

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


def new() -> str:
    return secrets.token_urlsafe(32)


def keep(file: Path) -> str:
    """The token in this file. If there is no file, it is written with a new token.

    Only its owner can read it. Raises `Error` if it is damaged, or cannot be read or written.
    """
    try:
        token = file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return _write(file, new())
    except UnicodeDecodeError:
        token = ""
    except OSError as problem:
        raise Error(f"The token file {file} cannot be read: {problem.strerror}.") from None
    if not _TOKEN.fullmatch(token):
        raise Error(
            f"The token file {file} is damaged: a token has 43 letters, digits, - and _. "
            "Delete the file to start as a new player."
        )
    return token


def _write(file: Path, token: str) -> str:
    """Write all of it or nothing: a crash leaves no half a token."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")  # 0600
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as writing:
                writing.write(token + "\n")
                writing.flush()
                os.fsync(writing.fileno())
            os.replace(draft, file)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft)
            raise
    except OSError as problem:
        raise Error(f"The token file {file} cannot be written: {problem.strerror}.") from None
    return token
