"""The types of Spark's expressions, asked of Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructField, StructType

from kafkastream.errors import DefinitionError
from kafkastream.spark.session import frame_of, spark_session
from kafkastream.spark.tables.session import table_session
from kafkastream.spark.tables.types import data_types, spark_type
from kafkastream.spark.tables.wire import column_names
from kafkastream.sql.types import DataType

__all__ = ["SparkTyping", "spark_typing"]


def spark_typing(time_zone: str, python: str | None = None) -> SparkTyping:
    """What knows types, with Spark started if it has not been.

    Args:
        time_zone: That of TIMESTAMP_LTZ.
        python: The workers' Python; None for what Spark has.

    Raises:
        SetupError: Spark cannot start.
    """
    return SparkTyping(table_session(spark_session(python), time_zone))


@final
class SparkTyping:
    """What Spark makes of expressions (``kafkastream.sql.query.catalog.Typing``); nothing runs.

    Args:
        session: One with Flink's rules.
    """

    def __init__(self, session: SparkSession) -> None:
        self.session = session
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
        schema = StructType([StructField(name, spark_type(kind), kind.is_nullable) for name, kind in named])
        try:
            return data_types(frame_of(self.session, [], schema).selectExpr(*expressions).schema)
        except (AnalysisException, ParseException) as error:
            reason = str(error).splitlines()[0]
            raise DefinitionError(f"Spark cannot compute this: {reason}", now="Write it in another way.") from None
