"""For programs that talk to Noughts: the messages on the socket, and their schema."""

__version__ = "0.2.0"
