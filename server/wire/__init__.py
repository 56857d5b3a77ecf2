"""The socket's JSON on the server's side: requests become commands, rooms become frames."""
