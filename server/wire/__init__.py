"""JSON on the socket, for the server: requests become commands, rooms become frames."""
