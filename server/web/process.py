"""What this process uses: CPU time, memory and descriptors, as the kernel counts them.

Not prometheus_client's own collector: it gives nothing at all where /proc/stat is hidden, as it is
under our systemd unit.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

HERE = Path("/proc/self")


def usage() -> dict[str, float]:
    """Each number under the name that Prometheus' clients give it; unknown ones are left out."""
    times = os.times()
    found = {"process_cpu_seconds_total": times.user + times.system}
    with suppress(OSError, AttributeError):  # no /proc on this platform
        resident = int((HERE / "statm").read_text().split()[1])
        found["process_resident_memory_bytes"] = resident * os.sysconf("SC_PAGE_SIZE")
        found["process_open_fds"] = len(os.listdir(HERE / "fd"))
    with suppress(ImportError):
        import resource

        found["process_max_fds"] = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return found
