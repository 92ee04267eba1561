"""The types of Spark's expressions, asked of Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import final

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession
from pyspark.sql.types import BooleanType, StructField, StructType

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.spark.plan.table_session import table_session
from kafkastream.spark.session.session import frame_of, spark_session
from kafkastream.spark.sql.formats.spark_types import data_types, spark_type
from kafkastream.spark.sql.functions.user_functions import declare
from kafkastream.spark.sql.rows.wire_values import column_names
from kafkastream.sql.plan.user_calls import KEPT, shown_calls, user_functions
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.types import DataType

__all__ = ["SparkTyping", "spark_typing"]


def spark_typing(
    time_zone: str, python: str | None = None, functions: Mapping[str, NamedFunction] = FrozenMap()
) -> SparkTyping:
    """What knows types, with Spark started if it has not been.

    Args:
        time_zone: That of TIMESTAMP_LTZ.
        python: The workers' Python; None for what Spark has.
        functions: Those of the user, by their names in Spark; more may come.

    Raises:
        SetupError: Spark cannot start.
    """
    return SparkTyping(table_session(spark_session(python), time_zone), functions)


@final
class SparkTyping:
    """What Spark makes of expressions (``kafkastream.sql.plan.planning_catalog.Typing``); nothing runs.

    Args:
        session: One with Flink's rules.
        functions: Those of the user, by their names in Spark; more may come.
    """

    def __init__(self, session: SparkSession, functions: Mapping[str, NamedFunction] = FrozenMap()) -> None:
        self.session = session
        self.functions = functions
        self._declared: set[str] = set()
        self._known: dict[tuple[tuple[DataType, ...], tuple[str, ...]], tuple[DataType, ...]] = {}

    def types(self, fields: Sequence[DataType], expressions: Sequence[str]) -> tuple[DataType, ...]:
        """The types of expressions over columns ``c0``, ``c1`` and so on of these types.

        Raises:
            DefinitionError: Spark cannot make sense of one.
        """
        asked = tuple(fields), tuple(expressions)
        if asked not in self._known:
            self._known[asked] = self._asked(*asked)
        return self._known[asked]

    def _asked(self, fields: Sequence[DataType], expressions: Sequence[str]) -> tuple[DataType, ...]:
        named = zip(column_names(len(fields)), fields, strict=True)
        columns = [StructField(name, spark_type(kind), kind.is_nullable) for name, kind in named]
        schema = StructType([*columns, StructField(KEPT, BooleanType(), False)])
        self._declare(user_functions(expressions))
        try:
            return data_types(frame_of(self.session, [], schema).selectExpr(*expressions).schema)
        except (AnalysisException, ParseException) as error:
            reason = shown_calls(str(error).splitlines()[0])
            raise DefinitionError(f"Spark cannot compute this: {reason}", now="Write it in another way.") from None

    def _declare(self, names: Iterable[str]) -> None:
        new = set(names) - self._declared
        declare(self.session, [self.functions[name] for name in new])
        self._declared |= new
