"""What a program that talks to Noughts needs: the messages on the socket."""
