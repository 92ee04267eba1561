"""Which kinds of rows a changelog has, at PyFlink's path."""

from __future__ import annotations

from kafkastream.sql.changelog import ChangelogMode

__all__ = ["ChangelogMode"]
