"""Encoding of keys as bytes, for buckets of elements and for state."""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Callable, Hashable
from typing import Any, Final

from kafkastream.model.common.row import Row

__all__ = ["NO_KEY", "bucket_of", "encoded_key", "key_encoder"]

_PLAIN: Final = frozenset({str, int, bytes, bool, float, type(None)})
_PROTOCOL: Final = 4


def encoded_key(key: object, *, is_typed: bool = False) -> bytes:
    """Return the bytes of a key: equal for equal keys of the same type, in every process and after every restart.

    Pickle memoizes objects by identity, so two equal tuples may differ in bytes; the memo is turned off.

    Args:
        key: The key.
        is_typed: Whether the key has a declared type, and so may be a list.

    Raises:
        TypeError: The key cannot be hashed, or not be pickled.

    Example:
        >>> pickle.loads(encoded_key(("a", 1)))
        ('a', 1)
        >>> encoded_key(["a"])
        Traceback (most recent call last):
        TypeError: unhashable type: 'list'
    """
    if type(key) in _PLAIN:
        return pickle.dumps(key, _PROTOCOL)
    if not is_typed and not isinstance(key, bytearray):  # which is a key in Flink, and needs no hash here
        hash(key)
    _refuse_unordered(key)
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, _PROTOCOL)
    pickler.fast = True
    try:
        pickler.dump(key)
    except (pickle.PicklingError, AttributeError, RecursionError) as error:
        raise TypeError(f"the key cannot be pickled: {error}") from error
    return buffer.getvalue()


def _refuse_unordered(key: object) -> None:
    """Refuse sets, whose order differs between processes, and dicts, whose order is that of insertion."""
    if isinstance(key, (frozenset, dict)):
        what = "map" if isinstance(key, dict) else "set"
        raise TypeError(f"a {what} has no order, so it cannot be a key: make it a sorted tuple")
    if isinstance(key, (tuple, list, Row)):
        for part in key:
            _refuse_unordered(part)


def key_encoder(*, is_typed: bool = False) -> Callable[[Hashable], bytes]:
    """Return ``encoded_key`` with a cache for text, by far the most common keys: streams have few keys per element."""
    known: dict[str, bytes] = {}

    def encode(key: Any) -> bytes:
        if type(key) is not str:
            return encoded_key(key, is_typed=is_typed)
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
