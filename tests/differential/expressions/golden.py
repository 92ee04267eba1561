"""Write what real Flink gives for expressions: run it with a Python that has apache-flink.

    python -m tests.differential.expressions.golden

Of each expression: its value for each row as a text, or the error.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.differential.expressions.cases import COLUMNS, EXPRESSIONS, FAILING, ROWS

_TABLE = importlib.import_module("pyflink.table")  # not installed where this is type-checked


def _values(t_env: Any, expressions: Sequence[str]) -> list[list[str | None]]:
    """The texts of expressions, row by row."""
    texts = ", ".join(f"CAST({one} AS STRING)" for one in expressions)
    with t_env.execute_sql(f"SELECT id, {texts} FROM t").collect() as rows:
        return [list(row)[1:] for row in sorted(rows, key=lambda row: row[0])]


def _error(t_env: Any, expression: str) -> str | None:
    try:
        _values(t_env, [expression])
    except Exception as error:  # noqa: BLE001 - the golden says that Flink refuses, or fails
        lines = str(getattr(error, "java_exception", error)).splitlines()
        causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
        return (causes[-1:] or lines or [type(error).__name__])[0][:300]
    return None


def _plans(t_env: Any, expression: str) -> str | None:
    try:
        t_env.sql_query(f"SELECT CAST({expression} AS STRING) FROM t")
    except Exception as error:  # noqa: BLE001 - as above
        return str(error).splitlines()[0][:300]
    return None


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "rows.json").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
        t_env = _TABLE.TableEnvironment.create(_TABLE.EnvironmentSettings.in_streaming_mode())
        t_env.get_config().set("parallelism.default", "1")
        t_env.get_config().set("table.local-time-zone", "UTC")
        options = f"'connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json', 'json.timestamp-format.standard' = 'SQL'"
        t_env.execute_sql(f"CREATE TABLE t ({COLUMNS}) WITH ({options})")
        refused = {one: error for one in EXPRESSIONS if (error := _plans(t_env, one))}
        planned = [one for one in EXPRESSIONS if one not in refused]
        values: dict[str, list[str | None]] = {}
        for start in range(0, len(planned), 40):
            some = planned[start : start + 40]
            try:
                columns = zip(*_values(t_env, some), strict=True)
                values.update(zip(some, map(list, columns), strict=True))
            except Exception:  # noqa: BLE001 - one of them fails: find it
                for one in some:
                    error = _error(t_env, one)
                    if error is None:
                        values[one] = [row[0] for row in _values(t_env, [one])]
                    else:
                        refused[one] = error
        found = {
            "apache-flink": importlib.import_module("pyflink.version").__version__,
            "values": values,
            "refused": refused,
            "failing": {one: _error(t_env, one) for one in FAILING},
        }
    sys.stderr.write(f"{refused}\n{found['failing']}\n")
    Path(__file__).with_name("golden.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
