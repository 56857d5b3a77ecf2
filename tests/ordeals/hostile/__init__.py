"""The hostile catalogue: what peers without manners do, and what the server does about it."""
