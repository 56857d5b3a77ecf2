"""How well our socket keeps to RFC 6455, asked by Autobahn's fuzzing client: `make conformance`."""
