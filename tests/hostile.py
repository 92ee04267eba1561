"""Settings of a user's Spark that are the opposite of those that the package sets for its jobs.

``python -m tests.hostile FOLDER`` writes them to a ``spark-defaults.conf``; with ``SPARK_CONF_DIR=FOLDER`` any tests run
under them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kafkastream.spark.session.query_settings import PINNED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["HOSTILE", "hostile"]

_OPPOSITES: Final = {
    "true": "false",
    "false": "true",
    "CORRECTED": "LEGACY",
    "TIMESTAMP_LTZ": "TIMESTAMP_NTZ",
    "second": "last",
}
HOSTILE: Final = {
    **{key: _OPPOSITES[value] for key, value in PINNED.items()},
    "spark.sql.session.timeZone": "Asia/Kathmandu",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "3",
}
"""The opposite of each setting in ``PINNED``, another time zone, and small batches, which are a user's own business."""


@contextmanager
def hostile(spark: SparkSession) -> Iterator[None]:
    """Set them in the program's session within a ``with`` block, as a user may while the program runs."""
    before = {key: spark.conf.get(key) for key in HOSTILE}
    for key, value in HOSTILE.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, was in before.items():
            spark.conf.unset(key) if was is None else spark.conf.set(key, was)


def main(folder: Path) -> None:
    """Write the settings to a ``spark-defaults.conf``."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{key} {value}\n" for key, value in HOSTILE.items()]
    (folder / "spark-defaults.conf").write_text("".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
