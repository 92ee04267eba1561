"""Runs Nexmark's queries on PyFlink; only ``golden_nexmark.py`` starts it, with the Python of PyFlink.

A request is read from standard input: the file of the events, that of the side input, and that of the results.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.udf import udf

from benchmarks.nexmark_queries import count_char, events_table, queries, side_input_table, views
from tests.differential.nexmark_rows import Final, final_rows, row_text

UPSERT_KEYS = {"q9": 0}
"""Columns by whose values results change: their rows are unique, so Flink leaves out an aggregate around them."""


def main() -> None:
    request = json.loads(sys.stdin.read())
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1").set("table.local-time-zone", "UTC")
    t_env.execute_sql(events_table(f"'connector' = 'filesystem', 'path' = '{request['events']}', 'format' = 'json'"))
    t_env.execute_sql(side_input_table(request["side"]))
    for view in views():
        t_env.execute_sql(view)
    t_env.create_temporary_function("count_char", udf(count_char, result_type="BIGINT"))
    found: dict[str, Final] = {}
    for query in queries():
        # A table in files cannot be looked up in Flink 2.2; a join with all of it gives the same rows.
        select = query.select.replace("JOIN side_input FOR SYSTEM_TIME AS OF B.p_time AS S", "JOIN side_input AS S")
        key = UPSERT_KEYS.get(query.name)
        with t_env.execute_sql(_counted(select, query.width) if key is None else select).collect() as rows:
            found[query.name] = final_rows(_left(rows) if key is None else _latest(rows, key))
    Path(request["result"]).write_text(json.dumps(found))


def _latest(changes: Iterable[Any], key: int) -> Counter[str]:
    latest: dict[Any, str] = {}
    for change in changes:
        match str(change.get_row_kind()):
            case "+I" | "+U":
                latest[change[key]] = row_text(change)
            case "-D":
                del latest[change[key]]
    return Counter(latest.values())


def _counted(select: str, width: int) -> str:
    """Return a query for the number of each row: the result of a query may lack the rows before updates."""
    columns = ", ".join(f"c{place}" for place in range(width))
    return f"SELECT {columns}, COUNT(*) FROM ({select}) AS t ({columns}) GROUP BY {columns}"


def _left(changes: Iterable[Any]) -> Counter[str]:
    left: Counter[str] = Counter()
    for change in changes:
        *row, count = change
        match str(change.get_row_kind()):
            case "+I" | "+U":
                left[row_text(row)] = count
            case "-D":
                del left[row_text(row)]
    return left


if __name__ == "__main__":
    main()
