"""Ids of nodes that are in no graph; apart from the nodes, since processes that import little need it."""

from __future__ import annotations

from typing import Final

__all__ = ["CONTROL_NODE"]

CONTROL_NODE: Final = -1
"""Id that replaces a source's where the engine itself makes the records; no node of a graph has it."""
