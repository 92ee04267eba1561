"""Why cells differ from Flink's, on purpose; ``differences.json`` has the cells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["REASONS", "reason_of"]

_ACCEPTED: Final = r"^(bytes: .*|arrays: IF.*|maps: IF.*|rows: IF.*|constants: (MAP|ROW).*|.* NULL|stamps: (d < t|CASE WHEN n > 0 THEN d.*))$"
REASONS: Final[Mapping[str, str]] = {
    "Calls that Flink refuses are computed, where nothing else could be meant.": _ACCEPTED,
}
"""Pattern of ``family: expression`` by reason; the first that fits counts."""


def reason_of(cell: str) -> str | None:
    """The reason for which the cells of an expression may differ."""
    return next((reason for reason, pattern in REASONS.items() if re.search(pattern, cell)), None)
