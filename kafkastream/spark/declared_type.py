"""Elements and keys of a declared type become what Flink's serializer would hand on."""

from __future__ import annotations

from typing import Any

from kafkastream.errors import JobError, UserFunctionError
from kafkastream.spark.batches import each
from kafkastream.spec.coercion import Coercion
from kafkastream.spec.printing import shown
from kafkastream.spec.types import TypeInformation

__all__ = ["coerced", "mistyped"]


def coerced(coercion: Coercion, values: Any) -> Any:
    """Coerce values, at once if possible, so that one which does not fit can be named.

    Raises:
        ElementError: One is of another type.
    """
    done = coercion.column(values)
    return each(coercion.one_or_none, values) if done is None else done


def mistyped(
    what: str, element: object, type_info: TypeInformation[Any], position: str, error: BaseException | None
) -> JobError:
    """Return the error of a job in which an element, or its key, is not of the declared type."""
    return UserFunctionError(
        f"{what} that is not of the declared type: {error}",
        where=f"{position}; element {shown(element)}",
        now=f"Declared is {type_info!r}: declare the type of what the function returns, or convert it in the function.",
    )
