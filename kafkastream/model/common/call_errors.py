"""Errors of calls of user functions: text, arguments, and the user's own traceback."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path

from kafkastream.errors import KafkastreamError, UserFunctionError
from kafkastream.model.common.value_printing import shown

__all__ = ["call_failed", "own_traceback", "said"]

_PACKAGE = str(Path(__file__).parents[2])


def call_failed(
    function: str, arguments: Sequence[object], error: BaseException, method: str = ""
) -> UserFunctionError:
    """Return the error of a SQL function that raised.

    Args:
        function: Name of the function.
        arguments: Arguments of the call.
        error: The exception that it raised.
        method: Method that was called, for a function that has several.
    """
    called = f"{method} of function {function!r}" if method else f"function {function!r}"
    return UserFunctionError(
        f"{called} raised {said(error)}",
        where=f"arguments {', '.join(map(shown, arguments))}" if arguments else "",
        now=own_traceback(error),
    )


def said(error: BaseException | None) -> str:
    """Return type and text of an error in one line."""
    return f"{type(error).__name__}: {error.what if isinstance(error, KafkastreamError) else error}"


def own_traceback(error: BaseException | None) -> str:
    """Return the traceback without this package's frames."""
    if error is None:
        return ""
    report = traceback.TracebackException.from_exception(error)
    report.stack = traceback.StackSummary.from_list(
        [frame for frame in report.stack if not frame.filename.startswith(_PACKAGE)]
    )
    return "".join(report.format()).rstrip().replace("\n", "\n  ")
