"""Records the columns that real PyFlink gives: ``python tests/differential/table_api/record.py`` with apache-flink."""

from __future__ import annotations

import json
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
    return {**names, "t": t_env.from_path("t"), "u": t_env.from_path("u")}


def main() -> None:
    names = tables("pyflink", cases()["TABLES"])
    found = {case: columns(case, names) for case in texts(cases())}
    golden = {"apache-flink": version("apache-flink"), "cases": found}
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


if __name__ == "__main__":
    main()
