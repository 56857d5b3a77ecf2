"""Commands and the door for the operator of a server."""
