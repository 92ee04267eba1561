"""Size of a record as brokers count it."""

from __future__ import annotations

from kafkastream.model.connectors.record_deserialization import Headers

__all__ = ["batch_bytes"]

# RECORD_BATCH_OVERHEAD in
# https://github.com/apache/kafka/blob/3.9.2/clients/src/main/java/org/apache/kafka/common/record/DefaultRecordBatch.java
_BATCH_HEADER = 61
_FIXED = 3  # attributes, and the differences of time and offset to the batch's, which are 0 for its first record


def batch_bytes(key: bytes | str | None, value: bytes | str | None, headers: Headers = ()) -> int:
    """The size of a batch with nothing but this record, which ``max.message.bytes`` and ``max.request.size`` limit.

    Example:
        >>> batch_bytes(None, b"seven")
        73
    """
    body = _FIXED + _with_length(key) + _with_length(value) + _varint_bytes(len(headers))
    body += sum(_with_length(name) + _with_length(content) for name, content in headers)
    return _BATCH_HEADER + _varint_bytes(body) + body


def _with_length(text: bytes | str | None) -> int:
    if text is None:
        return 1
    length = len(text.encode()) if isinstance(text, str) else len(text)
    return _varint_bytes(length) + length


def _varint_bytes(number: int) -> int:
    """Length of a number that is not negative, as a zigzag varint: seven bits a byte."""
    return max(1, ((2 * number).bit_length() + 6) // 7)
