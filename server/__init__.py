"""Noughts: tic-tac-toe rooms over WebSockets. The map is in docs/architecture.md."""
