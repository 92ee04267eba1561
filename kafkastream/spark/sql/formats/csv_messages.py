"""The format ``csv`` of tables, by Spark expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import attrs
from pyspark.sql import Column

from kafkastream.spark.sql.formats.csv_message_reading import csv_reader
from kafkastream.spark.sql.formats.csv_message_writing import csv_message
from kafkastream.spark.sql.formats.message_format import MessageFormat, message_format
from kafkastream.spark.sql.formats.message_reading import Reader
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.formats import CsvFormat

__all__: list[str] = []


@final
@attrs.frozen
class _Csv(MessageFormat):
    settings: CsvFormat

    def reader(self, part: RecordPart, metadata: Sequence[str]) -> Reader:
        """Parse lines."""
        return csv_reader(part.row_type, self.settings)

    def message(self, part: RecordPart, columns: Sequence[Column], kind: Column | None) -> Column:
        """Write lines."""
        return csv_message(columns, part.row_type, self.settings)


@message_format.register
def _(settings: CsvFormat) -> MessageFormat:
    return _Csv(settings)
