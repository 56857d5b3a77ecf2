"""The people of the unit tests."""

from __future__ import annotations

from server.core.events import Person, PlayerId

ADA = Person(PlayerId("ada"), "Ada")
BO = Person(PlayerId("bo"), "Bo")
CY = Person(PlayerId("cy"), "Cy")
