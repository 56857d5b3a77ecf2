"""Rooms that are awake, the peers that follow them, and what peers share. No aiohttp."""
