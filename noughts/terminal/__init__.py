"""Noughts in a terminal: drawing and keys as pure functions, and a thin shell around them."""
