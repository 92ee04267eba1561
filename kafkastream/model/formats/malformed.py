"""Decides which exceptions mean that a record is malformed, and holds the limits for records.

Every decoder of bytes from outside a job uses this module, so that all formats, doors and options such as
``ignore-parse-errors`` agree:

- A decoder checks the ``record_limits()`` of its job where a few bytes could become a deep or a large value, and raises a
  ``ValueError`` for a record beyond them.
- Whoever calls a decoder catches ``Exception`` and passes it to ``malformed``, which returns the ``ValueError`` of a
  malformed record and raises any other error again::

      try:
          return decode(message)
      except Exception as error:
          raise malformed(error) from error

- Where a malformed record is skipped, ``is_malformed`` decides: ``if not is_malformed(error): raise``.

Limits come from the job's configuration (``options.records``). The engine sends them to workers with each task.
"""

from __future__ import annotations

from typing import Final, final

import attrs

from kafkastream.errors import SetupError
from kafkastream.options.records import MAX_DEPTH, MAX_DIGITS, MAX_EMPTY_ITEMS, MAX_SCHEMA_SIZE

__all__ = ["RecordLimits", "is_malformed", "malformed", "record_limits", "use_limits"]

_SPARE_BYTES: Final = 64 * 2**20


@final
@attrs.frozen
class RecordLimits:
    """Limits for records that no honest record meets.

    Args:
        depth: Maximum depth of nested values.
        digits: Maximum number of a number's digits, with the zeros of its exponent or scale.
        empty_items: Maximum number of values that take no bytes.
        schema_bytes: Maximum size of a schema of a registry.
    """

    depth: int = MAX_DEPTH.default
    digits: int = MAX_DIGITS.default
    empty_items: int = MAX_EMPTY_ITEMS.default
    schema_bytes: int = MAX_SCHEMA_SIZE.default


_limits = RecordLimits()


def record_limits() -> RecordLimits:
    """Return the limits of the running task's job; the defaults outside of a task."""
    return _limits


def use_limits(limits: RecordLimits) -> None:
    """Set the limits of the task that this worker runs."""
    global _limits  # noqa: PLW0603 - a worker runs one task at a time
    _limits = limits


def is_malformed(error: BaseException | None) -> bool:
    """Return whether an exception of a decoder means that the record is malformed.

    Flink catches every ``Throwable`` where it ignores parse errors:
    https://github.com/apache/flink/blob/release-2.2.1/flink-formats/flink-json/src/main/java/org/apache/flink/formats/json/JsonRowDataDeserializationSchema.java
    Not the record's fault are an ``OSError`` (a registry does not answer), a missing module, Ctrl-C, ``sys.exit``, and a
    worker that lacks memory. A ``MemoryError`` is the record's fault if the worker still has some.

    Example:
        >>> is_malformed(RecursionError()), is_malformed(ConnectionError()), is_malformed(KeyboardInterrupt())
        (True, False, False)
    """
    if isinstance(error, MemoryError):
        return _has_memory()
    return isinstance(error, Exception) and not isinstance(error, OSError | ImportError | SetupError)


def malformed(error: Exception) -> ValueError:
    """Return the ``ValueError`` of a malformed record.

    Args:
        error: Exception of a decoder.

    Raises:
        Exception: The exception itself, if it is not the record's fault.

    Example:
        >>> malformed(IndexError("list index out of range"))
        ValueError('IndexError: list index out of range')
    """
    if not is_malformed(error):
        raise error
    return error if isinstance(error, ValueError) else ValueError(f"{type(error).__name__}: {error}".removesuffix(": "))


def _has_memory() -> bool:
    try:
        bytearray(_SPARE_BYTES)
    except MemoryError:
        return False
    return True
