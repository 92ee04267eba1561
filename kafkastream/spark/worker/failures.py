"""Errors of user functions and data on a worker, with operator, record, and the user's traceback."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kafkastream.errors import DeserializationError, KafkastreamError, SerializationError, UserFunctionError
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

_PACKAGE = str(Path(__file__).parents[2])


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
        raise UserFunctionError(f"{place} raised {said(error)}", now=_own_traceback(error)) from error


def element_failed(operator: str, element: object, position: str, error: BaseException | None) -> UserFunctionError:
    """Return the error of a function that raised on an element."""
    return UserFunctionError(
        f"the function of operator {operator!r} raised {said(error)}",
        where=f"{position}; element {shown(element)}",
        now=_own_traceback(error),
    )


def call_failed(function: str, arguments: Sequence[object], error: BaseException) -> UserFunctionError:
    """Return the error of a SQL function that raised."""
    return UserFunctionError(
        f"function {function!r} raised {said(error)}",
        where=f"arguments {', '.join(map(shown, arguments))}" if arguments else "",
        now=_own_traceback(error),
    )


def timer_failed(method: str, position: str, error: BaseException | None) -> UserFunctionError:
    """Return the error of a function that raised when a timer fired."""
    return UserFunctionError(f"{method} raised {said(error)}", where=position, now=_own_traceback(error))


def not_decoded(source: str, position: str, error: BaseException | None) -> DeserializationError:
    """Return the error of a record that could not be decoded."""
    return DeserializationError(
        f"source {source!r} failed to deserialize a record: {said(error)}",
        where=position,
        now="Fix or skip the record, or use a schema that accepts it.",
    )


def not_encoded(sink: str, element: object, position: str, error: BaseException | None) -> SerializationError:
    """Return the error of an element that could not be encoded."""
    return SerializationError(
        f"sink {sink!r} failed to serialize an element: {said(error)}",
        where=f"{position}; element {shown(element)}",
        now="Map elements to the type of the sink's schema; SimpleStringSchema takes str.",
    )


def said(error: BaseException | None) -> str:
    """Return type and text of an error in one line."""
    return f"{type(error).__name__}: {error.what if isinstance(error, KafkastreamError) else error}"


def _own_traceback(error: BaseException | None) -> str:
    """Return the traceback without this package's frames."""
    if error is None:
        return ""
    report = traceback.TracebackException.from_exception(error)
    report.stack = traceback.StackSummary.from_list(
        [frame for frame in report.stack if not frame.filename.startswith(_PACKAGE)]
    )
    return "".join(report.format()).rstrip().replace("\n", "\n  ")
