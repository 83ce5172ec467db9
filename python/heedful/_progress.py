"""How far a run is, for people: `heedful.read(..., progress=True)`."""

from __future__ import annotations

import sys
import time


class Line:
    """A line on the standard error stream, a few times a second. It is left there when all is done."""

    PAUSE = 0.2

    def __init__(self) -> None:
        self.last = float("-inf")

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - self.last < self.PAUSE:
            return
        self.last = now
        share = done / total if total else 1.0
        end = "\n" if done >= total else ""
        sys.stderr.write(f"\rheedful: {share:4.0%}, {done / 1e6:,.1f} of {total / 1e6:,.1f} MB read{end}")
        sys.stderr.flush()
