"""Import this first, and ``import pyflink`` means kafkastream: an unmodified PyFlink program runs here.

Python workers of its jobs apply the alias, too. An installed PyFlink is ignored from then on.
"""

from __future__ import annotations

from kafkastream.alias import alias_pyflink

__all__: list[str] = []

alias_pyflink()
