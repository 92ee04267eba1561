"""Versions of Spark that jobs are tested with, and known problems of others."""

from __future__ import annotations

import logging
import os
import re
from functools import cache

from kafkastream.errors import SetupError

__all__ = ["TESTED", "check_spark", "names_sources", "warn_of_leak"]

TESTED = ">=4.2.1,<4.4"
"""The range in ``pyproject.toml``; the tests run with the oldest and with the newest."""

_REFUSED_BEFORE = (4, 2, 0)
_OLDEST_TESTED, _UNTESTED_FROM = (tuple(map(int, bound.split("."))) for bound in re.findall(r"[\d.]+", TESTED))

log = logging.getLogger("kafkastream")


@cache
def check_spark(version: str, python_version: str) -> None:
    """Refuse a Spark that is too old or does not match pyspark; warn once of one that is newer than the tested ones.

    Args:
        version: Version of Spark itself.
        python_version: Version of pyspark.

    Raises:
        SetupError: Spark is too old for jobs, or pyspark has another minor version.
    """
    home = os.environ.get("SPARK_HOME")
    if _numbers(version) < _REFUSED_BEFORE:
        raise SetupError(
            f"Spark {version} is too old",
            where=f"SPARK_HOME={home}" if home else "",
            now=f'Use one of pyspark{TESTED}: pip install "pyspark{TESTED}", with no other Spark in SPARK_HOME.',
        )
    if _numbers(version)[:2] != _numbers(python_version)[:2]:
        raise SetupError(
            f"Spark {version} cannot be used by pyspark {python_version}",
            where=f"SPARK_HOME={home}" if home else "",
            now=f"Install pyspark {version} for this Python, or let SPARK_HOME be a Spark {python_version}.",
        )
    if _numbers(version) >= _UNTESTED_FROM:
        log.warning("Spark %s is newer than those that kafkastream is tested with (%s)", version, TESTED)


@cache
def warn_of_leak(version: str) -> None:
    """Warn once if jobs with state leak sockets with this version of Spark."""
    if _numbers(version) < _OLDEST_TESTED:
        # https://issues.apache.org/jira/browse/SPARK-58932
        log.warning(
            "Spark %s leaks a socket for each task with state and micro-batch (SPARK-58932), until none can be opened "
            "and the job fails: use Spark 4.2.1 or newer",
            version,
        )


def names_sources(version: str) -> bool:
    """Return whether queries of this version of Spark can have named sources.

    Spark 4.2.0 has them, but fails with ``None.get`` when such a query with state repeats a micro-batch
    (``OfflineStateRepartitionUtils.isRepartitionBatch``).
    """
    return _numbers(version) >= _OLDEST_TESTED


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))
