"""Performance as ratios to a naive server in the same run. No test asserts a time."""
