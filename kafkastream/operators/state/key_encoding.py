"""Encoding of keys as bytes, for buckets of elements and for state."""

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

_PLAIN: Final = frozenset({str, int, bytes, bool, float, type(None)})
_WHOLE: Final = frozenset({Decimal, date, datetime, time})
"""Other types without parts, whose objects need no look inside."""
_PROTOCOL: Final = 4


def encoded_key(key: object) -> bytes:
    """Return the bytes of a key: equal for equal keys of the same type, in every process and after every restart.

    As in PyFlink, two keys are one if their pickles are equal, whatever their ``__eq__`` says. Pickle memoizes objects
    by identity, so two equal tuples may differ in bytes; the memo is turned off.

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
    if type(key) in _PLAIN:
        return pickle.dumps(key, _PROTOCOL)
    buffer = io.BytesIO()
    pickler = (pickle.Pickler if type(key) in _WHOLE else _KeyPickler)(buffer, _PROTOCOL)
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
        """Return how to write an object; NotImplemented for the usual way."""
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
    if type(part) in _PLAIN or type(part) in _WHOLE:
        return
    if isinstance(part, (set, frozenset)):
        raise TypeError("a set has no order, so it cannot be a key: make it a sorted tuple")
    if isinstance(part, dict) and not is_field:
        raise TypeError("a map has no order, so it cannot be a key: make it a sorted tuple")
    for child in _parts(part):
        _refuse_unordered(child, is_field=is_field or not isinstance(part, (tuple, list, Row)))


def _parts(whole: Any) -> Iterable[object]:
    """Return the parts of a key that its pickle has."""
    if isinstance(whole, (tuple, list, Row)):
        return whole
    if isinstance(whole, dict):
        return whole.values()
    if isinstance(whole, Enum):
        return () if reduced_by_name(whole) else (whole.value,)
    slots = _slots(type(whole))  # type: ignore[arg-type]  # mypy takes the hash of objects for that of the class
    fields = [getattr(whole, name) for name in slots if hasattr(whole, name)]
    return [*getattr(whole, "__dict__", {}).values(), *fields]


@lru_cache(maxsize=1000)
def _slots(kind: type) -> tuple[str, ...]:
    return tuple(
        name
        for base in kind.__mro__
        for name in getattr(base, "__slots__", ())
        if name not in {"__dict__", "__weakref__"}
    )


def key_encoder() -> Callable[[Hashable], bytes]:
    """Return ``encoded_key`` with a cache for text, by far the most common keys: streams have few keys per element."""
    known: dict[str, bytes] = {}

    def encode(key: Any) -> bytes:
        if type(key) is not str:
            return encoded_key(key)
        found = known.get(key)
        if found is None:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            found = known[key] = encoded_key(key)
        return found

    return encode


NO_KEY: Final = encoded_key(None)
"""Key of elements without one."""

_MOST_KNOWN: Final = 100_000


def bucket_of(key: bytes, buckets: int) -> int:
    """Return the bucket of an encoded key: the subtask that has its state.

    Example:
        >>> [bucket_of(encoded_key(key), 4) for key in ("a", "b", "c")]
        [2, 3, 0]
    """
    return zlib.crc32(key) % buckets
