"""Rooms on several nodes: logs in an engine that all of them share, and a bus between them."""
