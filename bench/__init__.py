"""How fast it is: ratios against a naive server in the same run, never a timed test."""
