"""The files and commands of docs/hosting.md, run with real programs."""
