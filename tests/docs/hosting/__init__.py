"""What docs/hosting.md says, done: its files and its commands, with real programs."""
