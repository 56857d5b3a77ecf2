"""Draws the plots of docs/performance.md from the figures of `make bench-full`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

FOLDER = Path(__file__).parents[1] / "docs" / "plots"
COLOURS = ("#2f6fb5", "#c2543a")

# curve → size → figure → value
Growth = dict[str, dict[int, dict[str, float]]]


class Line(NamedTuple):
    label: str
    figure: str
    scale: Callable[[float], float] = lambda value: value


class Panel(NamedTuple):
    title: str
    curve: str
    lines: tuple[Line, ...]


def per_second(microseconds: float) -> float:
    return 1e6 / microseconds


def in_ms(microseconds: float) -> float:
    return microseconds / 1000


PICTURES: dict[str, tuple[Panel, ...]] = {
    "rooms": (
        Panel(
            "moves for a second of CPU",
            "open rooms",
            (
                Line("memory:", "CPU for a move, memory, us", per_second),
                Line("sqlite:", "CPU for a move, sqlite, us", per_second),
            ),
        ),
        Panel(
            "a move seen by both, p50, ms",
            "open rooms",
            (
                Line("memory:", "round trip of a move, p50, memory, us", in_ms),
                Line("sqlite:", "round trip of a move, p50, sqlite, us", in_ms),
            ),
        ),
    ),
    "spectators": (
        Panel(
            "deliveries for a second of CPU",
            "spectators",
            (Line("memory:", "CPU for a delivery, us", per_second),),
        ),
        Panel(
            "a move seen by both players, p50, ms",
            "spectators",
            (Line("memory:", "move to both players among spectators, p50, us", in_ms),),
        ),
    ),
    "memory": (
        Panel(
            "KiB for each quiet room",
            "open rooms",
            (
                Line("memory:", "quiet room without sockets, memory, KiB"),
                Line("sqlite:", "quiet room without sockets, sqlite, KiB"),
            ),
        ),
        Panel(
            "KiB for each quiet spectator",
            "quiet connections",
            (Line("memory:", "quiet connection, KiB"),),
        ),
    ),
    "start": (
        Panel(
            "start to first welcome, ms",
            "stored rooms",
            (Line("sqlite:", "start to first welcome, ms"),),
        ),
        Panel(
            "a stored room woken, p50, ms",
            "stored rooms",
            (Line("sqlite:", "stored room woken, ms"),),
        ),
    ),
    "lobby": (
        Panel(
            "list of public rooms, p50, ms",
            "public rooms",
            (Line("memory:", "list of public rooms, p50, ms"),),
        ),
        Panel(
            "CPU while they look on, %",
            "lobby watchers",
            (Line("memory:", "CPU while they look on, %"),),
        ),
    ),
}


def draw(growth: Growth) -> None:
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "noughts", "font.size": 9})
    FOLDER.mkdir(exist_ok=True)
    for name, panels in PICTURES.items():
        figure = Figure(figsize=(8, 2.9), layout="constrained")
        for axes, panel in zip(figure.subplots(1, len(panels)), panels, strict=True):
            _draw(axes, panel, growth[panel.curve])
        figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})


def _draw(axes: Axes, panel: Panel, curve: dict[int, dict[str, float]]) -> None:
    sizes = sorted(curve)
    for line, colour in zip(panel.lines, COLOURS, strict=False):
        values = [line.scale(curve[size][line.figure]) for size in sizes]
        axes.plot(sizes, values, "o-", color=colour, label=line.label)
    axes.set_title(panel.title)
    axes.set_xlabel(panel.curve)
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}".replace(",", " ") for size in sizes])
    axes.minorticks_off()
    axes.set_ylim(0, 1.2 * axes.get_ylim()[1])
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if len(panel.lines) > 1:
        axes.legend(frameon=False)
