"""Wrappers of Java objects, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import JAVA, StandIn

__all__ = [
    "JavaObjectWrapper",
]


class JavaObjectWrapper(StandIn, instead=JAVA):
    """Wrapper of a Java object."""
