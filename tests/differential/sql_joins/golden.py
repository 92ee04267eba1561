"""Writes what real Flink gives for the cases: ``python -m tests.differential.sql_joins.golden [new]``.

With ``new``, only cases that have no result yet are run. Run with a Python that has apache-flink 2.2, from the root of the repository.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pyflink.table import EnvironmentSettings, TableEnvironment

from tests.differential.sql_joins.cases import CASES, COLUMNS, ROWS, VIEWS

GOLDEN = Path(__file__).parent / "golden.json"


def found(t_env: TableEnvironment, query: str) -> dict[str, Any]:
    left: Counter[tuple[str | None, ...]] = Counter()
    try:
        with t_env.execute_sql(query).collect() as rows:
            for row in rows:
                values = tuple(None if one is None else str(one) for one in row)
                left[values] += 1 if row.get_row_kind().value in {0, 2} else -1
    except Exception as error:  # noqa: BLE001 - the golden says that Flink refuses
        return {"error": str(error).splitlines()[0][:200]}
    return {"rows": sorted((list(one) for one in left.elements()), key=repr)}


def main(which: Sequence[str]) -> None:
    known = json.loads(GOLDEN.read_text())["cases"] if "new" in which else {}
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    t_env.get_config().set("table.local-time-zone", "UTC")
    with tempfile.TemporaryDirectory() as folder:
        for name, columns in COLUMNS.items():
            path = Path(folder) / name
            path.mkdir()
            (path / "rows.json").write_text("\n".join(map(json.dumps, ROWS[name])))
            options = f"'connector' = 'filesystem', 'path' = '{path.as_uri()}', 'format' = 'json'"
            t_env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({options})")
        for name, query in VIEWS.items():
            t_env.execute_sql(f"CREATE TEMPORARY VIEW {name} AS {query}")
        cases = {name: known.get(name) or found(t_env, query) for name, query in CASES.items()}
    content = {"apache-flink": version("apache-flink"), "cases": cases}
    GOLDEN.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
