"""HTTP and WebSockets: TCP connections, pages and sockets, on aiohttp."""
