"""Pickles by Spark's own copy of cloudpickle.

https://github.com/apache/spark/tree/v4.2.1/python/pyspark/cloudpickle: a class of the program's that Spark pickles too,
within a function, then stays one class in a worker. It is imported with the first use, since a test driver runs jobs
without Spark.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

from kafkastream.operators.state.program_classes import reduced_by_name
from kafkastream.operators.state.state_pickles import check_code

__all__ = ["dumps", "element_dumps", "state_dumps"]


def dumps(content: Any) -> bytes:
    """Pickle what workers read, functions and classes of the program by value."""
    from pyspark import cloudpickle

    pickled: bytes = cloudpickle.dumps(content)
    return pickled


def element_dumps(content: Any) -> bytes:
    """Pickle elements for another worker; by plain pickle if possible, which takes a fraction of the time of cloudpickle."""
    return _quick_dumps(content, dumps)


def state_dumps(content: Any) -> bytes:
    """Pickle what outlives a run of the program: its main script's classes by name, other classes and functions by value.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/cloudpickle/cloudpickle.py, ``Pickler``
    """
    return _quick_dumps(content, _state_dumps)


def _quick_dumps(content: Any, otherwise: Callable[[Any], bytes]) -> bytes:
    try:
        return pickle.dumps(content, 5)
    except (pickle.PicklingError, AttributeError, TypeError):
        return otherwise(content)


def _state_dumps(content: Any) -> bytes:
    buffer = io.BytesIO()
    _state_pickler()(buffer).dump(content)
    return check_code(buffer.getvalue())


@cache
def _state_pickler() -> Any:
    from pyspark import cloudpickle

    class StatePickler(cloudpickle.Pickler):
        def reducer_override(self, obj: Any) -> Any:
            return reduced_by_name(obj) or super().reducer_override(obj)  # type: ignore[no-untyped-call]  # as above

    return StatePickler
