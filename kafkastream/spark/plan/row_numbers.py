"""Numbers of generated rows: a range of them, or a stream without end."""

from __future__ import annotations

from pyspark.sql import DataFrame, functions

from kafkastream.spark.plan.source_rows import ScanPlace
from kafkastream.spark.session.query_settings import NAMED_SOURCES
from kafkastream.sql.connectors import GeneratedTableSource

__all__ = ["row_numbers"]


def row_numbers(source: GeneratedTableSource, place: ScanPlace, tasks: int = 1) -> DataFrame:
    """Return the numbers of a table's rows, counted from 0, in the column ``id``.

    In a stream, Spark's source ``rate`` counts the rows by the clock, and its checkpoint keeps the seconds.

    Args:
        source: The table.
        place: Place of its scan.
        tasks: Number of tasks that generate a range.
    """
    session = place.session
    if not place.is_stream:
        numbers = source.within(*place.seconds)
        return session.range(numbers.start, numbers.stop, 1, tasks)
    is_named = all(session.conf.get(key, None) == value for key, value in NAMED_SOURCES.items())
    reader = session.readStream.format("rate").option("rowsPerSecond", source.pace).option("numPartitions", 1)
    rows = (reader.name(f"generated_{place.node}") if is_named else reader).load()
    return rows.select(functions.col("value").alias("id"))
