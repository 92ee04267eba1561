"""Wire format of Confluent's serializers: a zero byte and the id of the schema before a record."""

from __future__ import annotations

from typing import Final

__all__ = ["framed", "unframed"]

_MAGIC: Final = 0
_HEADER: Final = 5


def framed(schema_id: int, record: bytes) -> bytes:
    r"""Return the message of a record.

    Example:
        >>> framed(258, b"{}")
        b'\x00\x00\x00\x01\x02{}'
    """
    return bytes([_MAGIC]) + schema_id.to_bytes(_HEADER - 1, "big") + record


def unframed(message: bytes) -> tuple[int, bytes]:
    """Return the id of a message's schema, and its record.

    Raises:
        ValueError: The message is not in Confluent's format.
    """
    if not message or message[0] != _MAGIC:
        raise ValueError("Unknown data format. Magic number does not match")
    if len(message) < _HEADER:
        raise ValueError("the message ends within the id of its schema")
    return int.from_bytes(message[1:_HEADER], "big"), message[_HEADER:]
