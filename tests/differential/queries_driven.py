"""Runs queries in this process, by the test driver."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kafkastream.common import Row
from kafkastream.table import TableEnvironment
from kafkastream.testing import JobTestDriver
from kafkastream.testing.driver.sql.driven_graph import read_tables

__all__ = ["driven_rows"]


def driven_rows(
    t_env: TableEnvironment,
    query: str | Callable[[], object],
    rows: Mapping[str, Sequence[Any]],
    at_once: int = 1,
    *,
    spark: bool = False,
) -> list[Row]:
    """The changes that a query gives for micro-batches with so many rows of each table, until the input has ended."""
    start = query if callable(query) else lambda: t_env.execute_sql(query)
    with JobTestDriver.of(start, spark=spark) as driver:
        read = {table.definition.name[-1] for table in read_tables(driver._graph)}
        count = -(-max([len(rows[name]) for name in read], default=0) // at_once)
        for number in range(count):
            with driver.micro_batch():
                for name in sorted(read):
                    for row in rows[name][number * at_once : (number + 1) * at_once]:
                        driver.table(name).send(row)
        driver.finish()
        return driver.collected
