"""The hostile catalogue: what hostile peers do, and how the server reacts."""
