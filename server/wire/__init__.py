"""The socket's JSON, and the only package that knows it: docs/protocol.md describes every shape."""
