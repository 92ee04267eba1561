"""Predicates for ``AsyncRetryStrategy``, at PyFlink's path."""

from __future__ import annotations

from collections.abc import Sized

__all__ = ["empty_result_predicate", "exception_type_predicate", "has_exception_predicate"]


def empty_result_predicate(result: Sized | None) -> bool:
    """Return whether an invocation has returned no element.

    Args:
        result: Elements that the invocation has returned; None counts as no element.
    """
    return result is None or len(result) == 0


def has_exception_predicate(error: BaseException | None) -> bool:
    """Return whether an invocation has raised an exception.

    Args:
        error: Exception that the invocation has raised; None if it has raised none.
    """
    return error is not None


def exception_type_predicate(
    error: BaseException | None, expected_error_type: type[BaseException] | tuple[type[BaseException], ...]
) -> bool:
    """Return whether an invocation has raised an exception of a type; bind the type with ``functools.partial``.

    Args:
        error: Exception of the invocation, or None.
        expected_error_type: Type of exceptions to retry, or a tuple of types.

    Example:
        >>> from functools import partial
        >>> on_timeout = partial(exception_type_predicate, expected_error_type=TimeoutError)
        >>> on_timeout(TimeoutError()), on_timeout(KeyError())
        (True, False)
    """
    return isinstance(error, expected_error_type)
