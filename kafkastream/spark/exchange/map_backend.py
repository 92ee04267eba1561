"""State of one bucket, in a map of bytes in Spark's state store."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any, Final, final

import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import MapState

from kafkastream.spark.internals.pickles import state_dumps
from kafkastream.spark.internals.state_server import change_map, map_values

__all__ = ["MapBackend"]

_CODEC: Final = "lz4_raw"
_HELD_BACK_BYTES: Final = 1024 * 1024
_COMPRESSED: Final = b"\x04"
_HEADER: Final = struct.Struct("<cI")
_LEAST_BYTES: Final = 512


@final
class MapBackend:
    """A ``KeyedStateBackend``, whose changes are written when many have come together, and at ``flush``.

    Values are compressed: half the time of a call to the state store goes into their bytes, which Spark converts to
    text and back, and all of them are written to the checkpoint.

    Args:
        state: Spark's map.
    """

    def __init__(self, state: MapState) -> None:
        self._state = state
        self._unwritten: dict[bytes, bytes | None] = {}
        self._bytes = 0

    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``, or None if there is none."""
        (value,) = self.get_all([key])
        return value

    def get_all(self, keys: Sequence[bytes]) -> Iterator[bytes | None]:
        """Yield the value of each key, or None if there is none."""
        if not self._unwritten.keys().isdisjoint(keys):
            self.flush()
        for value in map_values(self._state, keys):
            yield None if value is None else decompressed(value)

    def put(self, key: bytes, value: bytes) -> None:
        """Store a value."""
        self._change(key, compressed(value))

    def remove(self, key: bytes) -> None:
        """Remove a value, if there is one."""
        self._change(key, None)

    def dumps(self, content: Any) -> bytes:
        """Pickle ``content`` for ``state_pickles.loads``, also in another run of the program."""
        return state_dumps(content)

    def flush(self) -> None:
        """Write the changes that have not been written yet."""
        changes, self._unwritten, self._bytes = self._unwritten, {}, 0
        change_map(self._state, changes)

    def _change(self, key: bytes, value: bytes | None) -> None:
        self._unwritten[key] = value
        self._bytes += len(key) + len(value or b"")
        if self._bytes >= _HELD_BACK_BYTES:
            self.flush()


def compressed(value: bytes) -> bytes:
    """Compress a value if that makes it smaller, or if it begins like a compressed one.

    Example:
        >>> len(compressed(b"x" * 1000)) < 30, compressed(b"short")
        (True, b'short')
    """
    is_ambiguous = value[:1] == _COMPRESSED
    if len(value) < _LEAST_BYTES and not is_ambiguous:
        return value
    small = _HEADER.pack(_COMPRESSED, len(value)) + pa.compress(value, _CODEC, asbytes=True)
    return small if is_ambiguous or len(small) < len(value) else value


def decompressed(value: bytes) -> bytes:
    """Return what ``compressed`` was given; it is also given values of format 1, which were not compressed.

    Example:
        >>> decompressed(compressed(b"x" * 1000)) == b"x" * 1000
        True
    """
    if value[:1] != _COMPRESSED:
        return value
    _, size = _HEADER.unpack_from(value)
    return pa.decompress(value[_HEADER.size :], size, _CODEC, asbytes=True)
