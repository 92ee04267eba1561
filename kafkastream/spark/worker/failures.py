"""Errors of user functions and data on a worker, with operator, record, and the user's traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kafkastream.errors import DeserializationError, KafkastreamError, SerializationError, UserFunctionError
from kafkastream.model.common.call_errors import call_failed, own_traceback, said
from kafkastream.model.common.error_location import located
from kafkastream.model.common.value_printing import shown

__all__ = [
    "call_failed",
    "element_failed",
    "function_failed",
    "not_decoded",
    "not_encoded",
    "said",
    "timer_failed",
]


@contextmanager
def function_failed(name: str, method: str, kind: str = "operator") -> Iterator[None]:
    """Translate errors of ``open`` or ``close`` within a ``with`` block; they name the operator or SQL function."""
    place = f"{method} of {kind} {name!r}"
    try:
        with located(place):
            yield
    except KafkastreamError:
        raise
    except BaseException as error:  # also sys.exit, which would end the worker
        raise UserFunctionError(f"{place} raised {said(error)}", now=own_traceback(error)) from error


def element_failed(operator: str, element: object, position: str, error: BaseException | None) -> UserFunctionError:
    """Return the error of a function that raised on an element."""
    return UserFunctionError(
        f"the function of operator {operator!r} raised {said(error)}",
        where=f"{position}; element {shown(element)}",
        now=own_traceback(error),
    )


def timer_failed(method: str, position: str, error: BaseException | None) -> UserFunctionError:
    """Return the error of a function that raised when a timer fired."""
    return UserFunctionError(f"{method} raised {said(error)}", where=position, now=own_traceback(error))


def not_decoded(source: str, position: str, error: BaseException | None) -> DeserializationError:
    """Return the error of a record that could not be decoded."""
    return DeserializationError(
        f"source {source!r} failed to deserialize a record: {said(error)}",
        where=position,
        now="Fix or skip the record, or use a schema that accepts it.",
    )


def not_encoded(sink: str, element: object, position: str, error: BaseException | None) -> SerializationError:
    """Return the error of an element that could not be encoded."""
    if isinstance(error, TypeError):
        now = "Map elements to the type of the sink's schema; SimpleStringSchema takes str."
    else:
        raised = own_traceback(error)
        now = raised if raised.startswith("Traceback") else ""  # without frames, it repeats the message
    return SerializationError(
        f"sink {sink!r} failed to serialize an element: {said(error)}",
        where=f"{position}; element {shown(element)}",
        now=now,
    )
