"""The AI: search in processes of its own, and a player that submits moves like anybody."""
