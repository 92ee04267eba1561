"""Records what real PyFlink gives: ``python tests/differential/functions/record.py [GROUP|GROUP/CASE …]`` with apache-flink.

Each query is a job of its own, in streaming mode; recorded are the rows that are left when all changes have been made.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
GOLDEN = HERE / "golden.json"


def main(wanted: set[str]) -> None:
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    names: dict[str, Any] = {"__name__": "__main__"}
    for name in ("functions", "cases"):
        text = (HERE / f"{name}.py").read_text().replace("from kafkastream", "from pyflink")
        exec(compile(text, name, "exec"), names)
    known = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        t_env = environment(names, folder)
        for group, cases in queries(names).items():
            before = known.get(group, {})
            known[group] = {
                case: rows(t_env, query)
                if not wanted or {group, f"{group}/{case}"} & wanted or case not in before
                else before[case]
                for case, query in cases.items()
            }
    GOLDEN.write_text(json.dumps({**known, "apache-flink": version("apache-flink")}, indent=1) + "\n")


def environment(names: dict[str, Any], folder: str) -> Any:
    from pyflink.table import EnvironmentSettings, TableEnvironment

    (Path(folder) / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in names["ROWS"]))
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for key, value in {
        "parallelism.default": "1",
        "python.executable": sys.executable,
        "table.local-time-zone": "UTC",
    }.items():
        t_env.get_config().set(key, value)
    options = f"'connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json'"
    t_env.execute_sql(f"CREATE TABLE t ({names['COLUMNS']}) WITH ({options})")
    for name, function in names["FUNCTIONS"].items():
        t_env.create_temporary_function(name, function)
    return t_env


def queries(names: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The queries of each group; an expression becomes a query."""
    changed = "(SELECT k, COUNT(*) AS c, MAX(id) AS m FROM t GROUP BY k)"
    return {
        "tables": names["TABLES"],
        "grouped": {case: f"SELECT k, {one} FROM t GROUP BY k" for case, one in names["GROUPED"].items()},
        "changed": {case: f"SELECT {one} FROM {changed}" for case, one in names["CHANGED"].items()},
        "windowed": names["WINDOWED"],
        "laterals": names["LATERALS"],
        "refused": names["REFUSED"],
    }


def rows(t_env: Any, query: str) -> Any:
    """The rows of a query, or the error where Flink refuses it."""
    left: Counter[tuple[str, ...]] = Counter()
    try:
        with t_env.execute_sql(query).collect() as found:
            for row in found:
                left[tuple(map(str, row))] += 1 if row.get_row_kind().name in ("INSERT", "UPDATE_AFTER") else -1
    except Exception as error:  # noqa: BLE001 - the record says that Flink refuses
        causes = [line for line in str(error).splitlines() if line.startswith("Caused by: ")] or [str(error)]
        message = causes[-1].removeprefix("Caused by: ")[:400]

        return {"error": message}

    return sorted(list(row) for row in left.elements())


if __name__ == "__main__":
    main(set(sys.argv[1:]))
