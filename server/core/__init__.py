"""The game, as pure values and functions: no I/O, no real time, no randomness."""
