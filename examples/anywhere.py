"""Plays anywhere. `noughts bot examples/anywhere.py:choose http://127.0.0.1:8080`"""

import random

from noughts import State


def choose(state: State) -> int:
    return random.choice(state.choices)
