"""How the log looks: one line for each record on standard error, with its time in UTC.

>>> record = logging.LogRecord("server.app", logging.INFO, "", 0, "a line\\nor two", None, None)
>>> record.created = 1_794_700_800.25
>>> Lines().format(record)
'2026-11-15T00:00:00.250Z INFO server.app: a line\\\\nor two'
>>> Objects().format(record)[:60]
'{"time":"2026-11-15T00:00:00.250Z","level":"info","logger":"'
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime


class Lines(logging.Formatter):
    """Text. A message stays on its line; a traceback follows on lines of its own."""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage().replace("\n", "\\n")
        line = f"{_time_of(record)} {record.levelname} {record.name}: {message}"
        traceback = _traceback_of(self, record)
        return f"{line}\n{traceback}" if traceback else line


class Objects(logging.Formatter):
    """One JSON object on a line, with its traceback in it."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": _time_of(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if traceback := _traceback_of(self, record):
            entry["traceback"] = traceback
        return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def set_up(level: str, format: str) -> None:
    """Write the log of this process to standard error, from this level on."""
    handler = logging.StreamHandler()
    handler.setFormatter(Objects() if format == "json" else Lines())
    logging.basicConfig(level=level.upper(), handlers=[handler])


def _time_of(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def _traceback_of(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    parts = []
    if record.exc_info:
        parts.append(formatter.formatException(record.exc_info))
    if record.stack_info:
        parts.append(formatter.formatStack(record.stack_info))
    return "\n".join(parts)
