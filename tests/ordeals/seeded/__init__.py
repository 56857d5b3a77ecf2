"""Bugs that are sown on purpose, to see that the tests find them."""
