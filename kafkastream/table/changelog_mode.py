"""``ChangelogMode``, the set of row kinds in a changelog, at PyFlink's path."""

from __future__ import annotations

from kafkastream.sql.changelog import ChangelogMode

__all__ = ["ChangelogMode"]
