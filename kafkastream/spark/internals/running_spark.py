"""State of Spark in this program, found out without importing it."""

from __future__ import annotations

import sys

__all__ = ["spark_is_running"]


def spark_is_running() -> bool:
    """Return whether this program has a Spark context that was not stopped.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/core/context.py
    """
    pyspark = sys.modules.get("pyspark")
    return pyspark is not None and pyspark.SparkContext._active_spark_context is not None
