"""Somebody's function `choose(state)`, and what goes wrong with it. Knows no server."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType

from noughts.errors import Error
from noughts.messages import State


class Wrong(Error):
    """The author's code is wrong. The text has the part of the traceback that is theirs."""


class Chooser:
    """`what` is how the author has named it, such as `bots.py:choose`."""

    def __init__(self, what: str, function: Callable[[State], object]) -> None:
        self._what = what
        self._function = function

    async def choose(self, state: State) -> int:
        """The cell. A plain function runs in a thread, so that the connection stays alive."""
        if inspect.iscoroutinefunction(self._function):
            cell, fault = await _awaited(self._function, state)
        else:
            cell, fault = await _in_thread(self._function, state)
        if fault is not None:
            raise Wrong(f"{_theirs(fault)}\n{self._what} has failed.{_shown(state)}")
        if isinstance(cell, bool) or not isinstance(cell, int):
            raise Wrong(
                f"{self._what} has returned {cell!r}. A cell is a number "
                f"from 0 to {len(state.board) - 1}.{_shown(state)}"
            )
        return cell

    def wrong_cell(self, cell: int, state: State, text: str) -> Wrong:
        """The server has refused what was chosen."""
        return Wrong(f"{self._what} has returned {cell}. {text}{_shown(state)}")


def load(what: str) -> Chooser:
    """The function that `MODULE:FUNCTION` names; a module by its name, or by its path.

    Raises `Error` if there is none, and `Wrong` if the module itself fails.
    """
    module_name, _, name = what.rpartition(":")
    if not module_name or not name:
        raise Error(f"{what!r} does not name a function. Write MODULE:choose or FILE.py:choose.")
    try:
        is_path = module_name.endswith(".py")
        module = _run_file(Path(module_name)) if is_path else _import(module_name)
    except Error:
        raise
    except (Exception, SystemExit) as fault:
        raise Wrong(f"{_theirs(fault)}\n{module_name} cannot be imported.") from None
    if not hasattr(module, name):
        raise Error(f"{module_name} has no function {name!r}.")
    function = getattr(module, name)
    if not callable(function):
        raise Error(f"{what} is not a function.")
    return Chooser(what, function)


def _run_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise Error(f"There is no file {path}.")
    sys.path.insert(0, str(path.parent.resolve()))  # as if the file were run by itself
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _import(name: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is not None and f"{name}.".startswith(f"{missing.name}."):
            raise Error(f"There is no module {name!r}. A file is named FILE.py:choose.") from None
        raise


async def _awaited(
    function: Callable[[State], Awaitable[object]], state: State
) -> tuple[object, BaseException | None]:
    """The result, or what was raised. Only an end that is asked from outside goes through."""
    try:
        return await function(state), None
    except asyncio.CancelledError as fault:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return None, fault
    except (Exception, SystemExit) as fault:
        return None, fault


async def _in_thread(
    function: Callable[[State], object], state: State
) -> tuple[object, BaseException | None]:
    """The result, or what was raised. A thread that never ends does not keep the program from
    ending."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[tuple[object, BaseException | None]] = loop.create_future()

    def settle(outcome: tuple[object, BaseException | None]) -> None:
        if not result.done():
            result.set_result(outcome)

    def run() -> None:
        outcome: tuple[object, BaseException | None]
        try:
            outcome = function(state), None
        except BaseException as fault:  # a future does not take every one of them
            outcome = None, fault
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, outcome)

    threading.Thread(target=run, daemon=True).start()
    return await result


def _theirs(fault: BaseException) -> str:
    """The traceback without our own frames and those of the import system."""
    ours = (str(Path(__file__).parent), "<frozen importlib", str(Path(importlib.__file__).parent))
    told = traceback.TracebackException.from_exception(fault)
    told.stack = traceback.StackSummary.from_list(
        [frame for frame in told.stack if not frame.filename.startswith(ours)]
    )
    return "".join(told.format()).rstrip()


def _shown(state: State) -> str:
    """The board, for people."""
    columns = state.variant.columns
    cells = [mark or "." for mark in state.board]
    rows = ("".join(cells[at : at + columns]) for at in range(0, len(cells), columns))
    return f" {state.turn} was to move:\n\n" + "\n".join(f"    {row}" for row in rows)
