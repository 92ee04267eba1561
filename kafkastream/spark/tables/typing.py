"""The types of Spark's expressions, asked of Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession

from kafkastream.errors import DefinitionError
from kafkastream.spark.session import spark_session
from kafkastream.spark.tables.session import table_session
from kafkastream.spark.tables.types import data_type, row_type
from kafkastream.spark.tables.wire import column_names
from kafkastream.sql.types import DataType, RowField

__all__ = ["SparkTyping"]


@final
class SparkTyping:
    """What Spark makes of expressions (``kafkastream.sql.query.catalog.Typing``); nothing runs.

    Args:
        time_zone: That of TIMESTAMP_LTZ.
        python: The workers' Python; None for what Spark has.
    """

    def __init__(self, time_zone: str, python: str | None = None) -> None:
        self._session: SparkSession = table_session(spark_session(python), time_zone)
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
        names = column_names(len(fields))
        schema = row_type(RowField(name, kind) for name, kind in zip(names, fields, strict=True))
        frame = self._session.createDataFrame([], schema)
        try:
            return tuple(data_type(field.dataType) for field in frame.selectExpr(*expressions).schema.fields)
        except (AnalysisException, ParseException) as error:
            reason = str(error).splitlines()[0]
            raise DefinitionError(f"Spark cannot compute this: {reason}", now="Write it in another way.") from None
