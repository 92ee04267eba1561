"""Writes what real Flink gives for the cases: ``python -m tests.differential.top_n.record_top_n``, with apache-flink 2.2."""

from __future__ import annotations

import importlib
import json
import tempfile
from pathlib import Path
from typing import Any

from tests.differential.top_n.cases import CASES, COLUMNS, ROWS

_TABLE = importlib.import_module("pyflink.table")  # not installed where this is type-checked


def _changes(t_env: Any, query: str) -> list[list[str]]:
    with t_env.execute_sql(query).collect() as rows:
        return [[str(row.get_row_kind()), *map(str, row)] for row in rows]


def main() -> None:
    """Write the changes of each query, and how Flink ranks its rows."""
    t_env = _TABLE.TableEnvironment.create(_TABLE.EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
        options = f"'connector' = 'filesystem', 'path' = '{Path(folder).as_uri()}', 'format' = 'json'"
        t_env.execute_sql(f"CREATE TABLE bids ({COLUMNS}) WITH ({options})")
        cases = {
            name: {"strategy": _strategy(t_env.explain_sql(query)), "changes": _changes(t_env, query)}
            for name, query in CASES.items()
        }
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(found)}" for name, found in cases.items())
    version = json.dumps(importlib.import_module("pyflink.version").__version__)
    text = f'{{\n "apache-flink": {version},\n "cases": {{\n{lines}\n }}\n}}\n'
    Path(__file__).with_name("golden.json").write_text(text)


def _strategy(plan: str) -> str:
    return plan.rpartition("strategy=[")[2].partition("]")[0].partition("[")[0]


if __name__ == "__main__":
    main()
