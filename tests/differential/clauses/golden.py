"""Write what real Flink gives for clauses of queries: run it with a Python that has apache-flink.

    python -m tests.differential.clauses.golden

Of each query: the columns with their types, and the changes of the result in streaming mode; or the error.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.differential.clauses.queries import QUERIES, declared

_TABLE = importlib.import_module("pyflink.table")  # not installed where this is type-checked


def _environment(folder: Path) -> Any:
    t_env = _TABLE.TableEnvironment.create(_TABLE.EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    t_env.get_config().set("table.local-time-zone", "UTC")
    for statement in declared(folder):
        t_env.execute_sql(statement)
    return t_env


def _result(t_env: Any, query: str) -> dict[str, Any]:
    try:
        schema = t_env.sql_query(query)._j_table.getResolvedSchema().getColumns()
        columns = [f"{one.getName()} {one.getDataType().getLogicalType().asSummaryString()}" for one in schema]
        with t_env.execute_sql(query).collect() as rows:
            return {"columns": columns, "changes": [f"{row.get_row_kind()}{list(map(str, row))}" for row in rows]}
    except Exception as error:  # noqa: BLE001 - the golden says that Flink refuses
        lines = str(getattr(error, "java_exception", error)).splitlines()
        causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
        return {"error": (causes[-1:] or lines or [type(error).__name__])[0][:300]}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        t_env = _environment(Path(folder))
        found: dict[str, Any] = {"apache-flink": importlib.import_module("pyflink.version").__version__}
        for clause, queries in QUERIES.items():
            found[clause] = {}
            for query in queries:
                found[clause][query] = _result(t_env, query)
                sys.stderr.write(f"{query} {found[clause][query]}\n")
    Path(__file__).with_name("golden.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
