"""For programs that talk to Noughts: the messages on the socket, and their schema."""
