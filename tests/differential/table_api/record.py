"""Records the columns that real PyFlink gives: ``python tests/differential/table_api/record.py`` with apache-flink."""

from __future__ import annotations

import json
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NAMES = (
    "from {0}.table import *\nfrom {0}.table.expressions import *\nfrom {0}.table.expression import *\n"
    "from {0}.table.expressions import coalesce, json_array, json_object, lag, lead, map_from_arrays, with_all_columns\n"
    "from {0}.table.window import *\n"
)


def tables(package: str, statements: Any) -> dict[str, Any]:
    """The names that cases may use, with both tables."""
    names: dict[str, Any] = {}
    exec(NAMES.format(package), names)
    t_env = names["TableEnvironment"].create(names["EnvironmentSettings"].in_streaming_mode())
    for statement in statements:
        t_env.execute_sql(statement)
    return {**names, **{name: t_env.from_path(name) for name in t_env.list_tables()}}


def main() -> None:
    names = tables("pyflink", cases()["TABLES"])
    found = {case: columns(case, names) for case in texts(cases())}
    with tempfile.TemporaryDirectory() as folder:
        counted = {case: rows(case, with_rows(names, cases()["ROWS"], folder)) for case in cases()["COUNTED"]}
    golden = {"apache-flink": version("apache-flink"), "cases": found, "counted": counted}
    (HERE / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")


def cases() -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(compile((HERE / "cases.py").read_text(), "cases", "exec"), found)
    return found


def texts(found: dict[str, Any]) -> list[str]:
    return [*(f"t.select({one})" for one in found["EXPRESSIONS"]), *found["OPERATIONS"]]


def columns(case: str, names: dict[str, Any]) -> Any:
    """Names and types of a table's columns, or that Flink refuses it."""
    try:
        schema = eval(case, dict(names))._j_table.getResolvedSchema()
    except Exception as error:  # noqa: BLE001 - the record says that Flink refuses
        lines = [line for line in str(error).splitlines() if "Exception: " in line] or [str(error)]
        return {"error": lines[0].partition("Exception: ")[2][:200] or lines[0][:200]}
    return [
        [str(name), str(kind).removesuffix(" *ROWTIME*").removesuffix(" *PROCTIME*")]
        for name, kind in zip(schema.getColumnNames(), schema.getColumnDataTypes(), strict=True)
    ]


def with_rows(names: dict[str, Any], given: Any, folder: str) -> dict[str, Any]:
    """The names that cases on rows may use."""
    lines = [{"k": k, "v": v, "d": d, "ts": f"2026-01-01 00:00:{v:02}"} for k, v, d in given]
    (Path(folder) / "rows.json").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    t_env = names["TableEnvironment"].create(names["EnvironmentSettings"].in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    t_env.execute_sql(
        "CREATE TABLE c (k STRING, v INT, d DOUBLE, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ("
        f"'connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json')"
    )
    sums = t_env.sql_query("SELECT k, n, PROCTIME() AS pt FROM (SELECT k, COUNT(*) AS n FROM c GROUP BY k)")
    return {**names, "c": t_env.from_path("c"), "sums": sums}


def rows(case: str, names: dict[str, Any]) -> Any:
    """Changes that a table makes, or that it is refused."""
    try:
        with eval(case, dict(names)).execute().collect() as found:
            return [[str(row.get_row_kind()), *map(shown, row)] for row in found]
    except Exception as error:  # noqa: BLE001 - the record says that Flink refuses
        lines = [line for line in str(error).splitlines() if "Exception: " in line] or [str(error)]
        return {"error": lines[-1].partition("Exception: ")[2][:200] or lines[-1][:200]}


def shown(value: Any) -> str:
    """A value as text; a multiset in the order of its elements."""
    return str(dict(sorted(value.items())) if isinstance(value, dict) else value)


if __name__ == "__main__":
    main()
