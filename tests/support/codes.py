"""Reads QR codes with an independent decoder."""

from __future__ import annotations

import re

import zxingcpp

SCALE = 4  # pixels for each square of the code


def read_code(svg: str) -> str:
    """The text of a QR code that the server has drawn: black strokes on a white square."""
    [side] = map(int, re.findall(r'viewBox="0 0 (\d+) \1"', svg))
    [strokes] = re.findall(r'stroke="#000" d="([^"]+)"', svg)
    rows = [bytearray(b"\xff" * side) for _ in range(side)]
    x = y = 0.0
    for command, numbers in re.findall(r"([Mmh])([-\d. ]+)", strokes):
        given = [float(each) for each in re.findall(r"-?[\d.]+", numbers)]
        if command == "h":  # a stroke of some squares, half a square below its upper edge
            rows[int(y)][int(x) : int(x + given[0])] = bytes(int(given[0]))
            x += given[0]
        else:
            start = (0.0, 0.0) if command == "M" else (x, y)
            x, y = start[0] + given[0], start[1] + given[1]
    wide = b"".join(bytes(pixel for pixel in row for _ in range(SCALE)) * SCALE for row in rows)
    image = memoryview(wide).cast("B", (SCALE * side, SCALE * side))
    [found] = zxingcpp.read_barcodes(image)
    return found.text
