"""Reads QR codes with an independent decoder."""

from __future__ import annotations

import re

import numpy as np
import zxingcpp

SCALE = 4  # pixels for each square of the code


def read_code(svg: str) -> str:
    """The text of a QR code that the server has drawn: black strokes on a white square."""
    [side] = map(int, re.findall(r'viewBox="0 0 (\d+) \1"', svg))
    [strokes] = re.findall(r'stroke="#000" d="([^"]+)"', svg)
    pixels = np.full((side, side), 255, np.uint8)
    x = y = 0.0
    for command, numbers in re.findall(r"([Mmh])([-\d. ]+)", strokes):
        given = [float(each) for each in re.findall(r"-?[\d.]+", numbers)]
        if command == "h":  # a stroke of some squares, half a square below its upper edge
            pixels[int(y - 0.5), int(x) : int(x + given[0])] = 0
            x += given[0]
        else:
            start = (0.0, 0.0) if command == "M" else (x, y)
            x, y = start[0] + given[0], start[1] + given[1]
    [found] = zxingcpp.read_barcodes(pixels.repeat(SCALE, 0).repeat(SCALE, 1))
    return found.text
