"""The game itself, as pure values and functions: no I/O, no clock, no dice."""
