"""Encoding of keys as bytes, which assign elements to buckets and identify state."""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Callable, Hashable, Iterable
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Any, Final, final

from kafkastream.model.common.row import Row
from kafkastream.operators.state.program_classes import MAIN_MODULE, reduced_by_name

__all__ = ["NO_KEY", "bucket_of", "encoded_key", "key_encoder"]

_BUILT_IN: Final = frozenset({str, int, bytes, bool, float, type(None)})
_WITHOUT_PARTS: Final = frozenset({Decimal, date, datetime, time})
"""Other types whose objects have no parts to check."""
_PROTOCOL: Final = 4


def encoded_key(key: object) -> bytes:
    """Return the bytes of a key: equal for equal keys of the same type, in every process and after every restart.

    As in PyFlink, two keys are the same if their pickles are equal, whatever ``__eq__`` says. Pickle memoizes objects by
    identity, so two equal tuples could have different bytes; the memo is turned off.

    Args:
        key: The key.

    Raises:
        TypeError: The key cannot be pickled, or not to the same bytes each time.

    Example:
        >>> pickle.loads(encoded_key(("a", 1)))
        ('a', 1)
        >>> encoded_key({"a"})
        Traceback (most recent call last):
        TypeError: a set has no order, so it cannot be a key: make it a sorted tuple
    """
    if type(key) in _BUILT_IN:
        return pickle.dumps(key, _PROTOCOL)
    buffer = io.BytesIO()
    pickler = (pickle.Pickler if type(key) in _WITHOUT_PARTS else _KeyPickler)(buffer, _PROTOCOL)
    pickler.fast = True
    try:
        _refuse_unordered(key)
        pickler.dump(key)
    except (pickle.PicklingError, AttributeError, RecursionError) as error:
        raise TypeError(f"the key cannot be pickled: {error}") from error
    return buffer.getvalue()


@final
class _KeyPickler(pickle.Pickler):
    """Pickler that writes classes of the program's main script by name."""

    def reducer_override(self, obj: Any) -> Any:
        """Return how to pickle an object by name; NotImplemented for the default."""
        reduced = reduced_by_name(obj)
        if reduced is not None:
            return reduced
        if isinstance(obj, type) and obj.__module__ == MAIN_MODULE:
            raise pickle.PicklingError(
                f"its class {obj.__qualname__} cannot be found by its name: define it in the main script outside of "
                "functions, under a name that no other class has, or in a module"
            )
        return NotImplemented


def _refuse_unordered(part: object, *, is_field: bool = False) -> None:
    """Refuse sets, whose order differs between processes, and dicts, whose order is that of insertion.

    Objects may have dicts in their fields, since a class fills them in the same order each time.
    """
    if type(part) in _BUILT_IN or type(part) in _WITHOUT_PARTS:
        return
    if isinstance(part, (set, frozenset)):
        raise TypeError("a set has no order, so it cannot be a key: make it a sorted tuple")
    if isinstance(part, dict) and not is_field:
        raise TypeError("a map has no order, so it cannot be a key: make it a sorted tuple")
    for child in _parts(part):
        _refuse_unordered(child, is_field=is_field or not isinstance(part, (tuple, list, Row)))


def _parts(value: Any) -> Iterable[object]:
    """Return the parts of a key that are pickled with it."""
    if isinstance(value, (tuple, list, Row)):
        return value
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, Enum):
        return () if reduced_by_name(value) else (value.value,)
    slots = _slots(type(value))  # type: ignore[arg-type]  # mypy takes the hash of objects for that of the class
    fields = [getattr(value, name) for name in slots if hasattr(value, name)]
    return [*getattr(value, "__dict__", {}).values(), *fields]


@lru_cache(maxsize=1000)
def _slots(kind: type) -> tuple[str, ...]:
    return tuple(
        name
        for base in kind.__mro__
        for name in getattr(base, "__slots__", ())
        if name not in {"__dict__", "__weakref__"}
    )


def key_encoder() -> Callable[[Hashable], bytes]:
    """Return ``encoded_key`` with a cache for strings, the most common keys: a stream repeats few keys."""
    cache: dict[str, bytes] = {}

    def encode(key: Any) -> bytes:
        if type(key) is not str:
            return encoded_key(key)
        encoded = cache.get(key)
        if encoded is None:
            if len(cache) >= _CACHED_KEYS:
                cache.clear()
            encoded = cache[key] = encoded_key(key)
        return encoded

    return encode


NO_KEY: Final = encoded_key(None)
"""Encoded key of elements without a key."""

_CACHED_KEYS: Final = 100_000


def bucket_of(key: bytes, buckets: int) -> int:
    """Return the bucket of an encoded key: the subtask that has its state.

    Example:
        >>> [bucket_of(encoded_key(key), 4) for key in ("a", "b", "c")]
        [2, 3, 0]
    """
    return zlib.crc32(key) % buckets
