"""Keys as bytes: what elements are sorted into buckets by, and under which their state is found again."""

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
    """The bytes of a key: the same for equal keys of the same type, in every process and after every restart.

    Pickle remembers what it has seen by identity, so two equal tuples may differ in bytes: it is told not to.

    Args:
        key: The key.
        is_typed: Whether it is of a declared type, and so may be a list.

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
    """Refuse sets, whose order is another in each process, and maps, whose order is that in which they were filled."""
    if isinstance(key, (frozenset, dict)):
        what = "map" if isinstance(key, dict) else "set"
        raise TypeError(f"a {what} has no order, so it cannot be a key: make it a sorted tuple")
    if isinstance(key, (tuple, list, Row)):
        for part in key:
            _refuse_unordered(part)


def key_encoder(*, is_typed: bool = False) -> Callable[[Hashable], bytes]:
    """``encoded_key`` that remembers texts, by far the most keys: a stream has few in comparison with its elements."""
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
"""What stands in place of a key where there are none."""

_MOST_KNOWN: Final = 100_000


def bucket_of(key: bytes, buckets: int) -> int:
    """The bucket of an encoded key: the subtask that has its state.

    Example:
        >>> [bucket_of(encoded_key(key), 4) for key in ("a", "b", "c")]
        [2, 3, 0]
    """
    return zlib.crc32(key) % buckets
