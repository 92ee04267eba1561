"""Pickles by Spark's own copy of cloudpickle.

https://github.com/apache/spark/tree/v4.2.1/python/pyspark/cloudpickle: a class of the program's that Spark pickles too,
within a function, then stays one class in a worker. It is imported with the first use, since a test driver runs jobs
without Spark.
"""

from __future__ import annotations

import io
from functools import cache
from typing import Any

from kafkastream.operators.state.program_classes import reduced_by_name

__all__ = ["dumps", "state_dumps"]


def dumps(content: Any) -> bytes:
    """Pickle what workers read, functions and classes of the program by value."""
    from pyspark import cloudpickle

    pickled: bytes = cloudpickle.dumps(content)
    return pickled


def state_dumps(content: Any) -> bytes:
    """Pickle what outlives a run of the program: its main script's classes by name, other classes and functions by value.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/cloudpickle/cloudpickle.py, ``Pickler``
    """
    buffer = io.BytesIO()
    _state_pickler()(buffer).dump(content)
    return buffer.getvalue()


@cache
def _state_pickler() -> Any:
    from pyspark import cloudpickle

    class StatePickler(cloudpickle.Pickler):
        def reducer_override(self, obj: Any) -> Any:
            return reduced_by_name(obj) or super().reducer_override(obj)  # type: ignore[no-untyped-call]  # as above

    return StatePickler
