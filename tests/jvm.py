"""How the tests' JVMs of Spark start: for a short life, which halves what a start costs."""

from __future__ import annotations

import os

__all__ = ["short_lived"]


def short_lived() -> dict[str, str]:
    """The environment in which Spark's JVM does not work hard to be fast later."""
    given = os.environ.get("SPARK_SUBMIT_OPTS", "")
    return {"SPARK_SUBMIT_OPTS": f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC {given}"}
