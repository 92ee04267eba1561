"""Coerces the output of an operator with a declared type, as Flink's serializer does."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.errors import JobError, UserFunctionError
from kafkastream.model.common.coercion import Coercion, coercion_of
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.value_printing import shown
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batches import Batch, each
from kafkastream.spark.worker.chained_operators import Operator

__all__ = ["DeclaredType", "coerced", "mistyped"]


@final
@attrs.define(eq=False)
class DeclaredType(Operator):
    """Coerces the output of another operator, which it follows in the chain and whose name it has."""

    has_metrics = False
    type_info: TypeInformation[Any] = attrs.field(kw_only=True)
    _coercion: Coercion | None = attrs.field(default=None, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Compile the type."""
        self._coercion = coercion_of(self.type_info)

    def apply(self, batch: Batch) -> Batch:
        """Coerce a batch; None stays None.

        Raises:
            ElementError: An element is of another type.
        """
        return batch if self._coercion is None else batch._replace(values=coerced(self._coercion, batch.values))

    def failure(self, element: object, position: str, error: BaseException | None) -> JobError:
        """Return the error of an element that is not of the type."""
        return mistyped(f"operator {self.name!r} gave an element", element, self.type_info, position, error)


def coerced(coercion: Coercion, values: Any) -> Any:
    """Coerce values, all at once if possible; otherwise one by one, to name the one that fails.

    Raises:
        ElementError: A value is of another type.
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
        now=f"Declared is {type_info!r}: declare the type that the function returns, or convert the result in the function.",
    )
