"""Rooms that are awake: hosts, their followers, the lobby and the AI. Knows no aiohttp."""
