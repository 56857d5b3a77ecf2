"""The outside: aiohttp's requests and sockets on one side, peers and the lobby on the other."""
