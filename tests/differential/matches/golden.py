"""Write what real Flink gives for queries with MATCH_RECOGNIZE: run it with a Python that has apache-flink.

    python -m tests.differential.matches.golden [NAME...]

Without names, all queries are recorded anew. Of each query: the columns with their types, and the rows in the order in which they came; or the error.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.differential.matches.cases import CASES, COLUMNS, ROWS, VIEWS

_TABLE = importlib.import_module("pyflink.table")  # not installed where this is type-checked


def _environment(folder: Path) -> Any:
    t_env = _TABLE.TableEnvironment.create(_TABLE.EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    t_env.get_config().set("table.local-time-zone", "UTC")
    (folder / "rows.json").write_text("\n".join(map(json.dumps, ROWS)) + "\n")
    options = f"'connector' = 'filesystem', 'path' = '{folder.as_uri()}', 'format' = 'json'"
    t_env.execute_sql(f"CREATE TABLE ticker ({COLUMNS}) WITH ({options})")
    for name, query in VIEWS.items():
        t_env.execute_sql(f"CREATE TEMPORARY VIEW {name} AS {query}")
    return t_env


def _result(t_env: Any, query: str) -> dict[str, Any]:
    try:
        schema = t_env.sql_query(query)._j_table.getResolvedSchema().getColumns()
        columns = [f"{one.getName()} {one.getDataType().getLogicalType().asSummaryString()}" for one in schema]
        with t_env.execute_sql(query).collect() as rows:
            return {
                "columns": columns,
                "rows": [
                    [str(row.get_row_kind()), *(None if one is None else str(one) for one in row)] for row in rows
                ],
            }
    except Exception as error:  # noqa: BLE001 - the golden says that Flink refuses
        lines = str(getattr(error, "java_exception", error)).splitlines()
        causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
        return {"error": (causes[-1:] or lines or [type(error).__name__])[0][:300]}


def main() -> None:
    path = Path(__file__).with_name("golden.json")
    names = sys.argv[1:] or list(CASES)
    known = json.loads(path.read_text())["cases"] if path.exists() and sys.argv[1:] else {}
    with tempfile.TemporaryDirectory() as folder:
        t_env = _environment(Path(folder))
        for name in names:
            known[name] = _result(t_env, CASES[name])
            sys.stderr.write(f"{name} {known[name]}\n")
    cases = {name: known[name] for name in CASES if name in known}
    found = {"apache-flink": importlib.import_module("pyflink.version").__version__, "cases": cases}
    path.write_text(json.dumps(found, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
