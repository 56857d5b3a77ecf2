"""Finds the server in an installed copy, where the package also contains the server and the page.

The server imports its own modules as `server.…`. In the repository they are beside this package; in
an installed copy they are in its folder `house`, so that nothing else is installed at the top.
Importing this module makes them importable in both. Nothing is called, because the process that
forks the AI's workers can be told to import modules, but not where they are.
"""

from __future__ import annotations

import sys
from pathlib import Path

HOUSE = str(Path(__file__).with_name("house"))

if Path(HOUSE).is_dir() and HOUSE not in sys.path:
    sys.path.insert(0, HOUSE)
