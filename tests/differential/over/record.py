"""Write what PyFlink makes of the queries with OVER: run it with a Python that has apache-flink.

python -m tests.differential.over.record
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.differential.over.cases import COLUMNS, INPUTS, QUERIES, REFUSED, golden, lines

_TABLE = importlib.import_module("pyflink.table")  # not installed where this is type-checked


def _environment(path: Path) -> Any:
    """An environment with the table ``events``, whose watermark follows each row."""
    t_env = _TABLE.TableEnvironment.create(_TABLE.EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    t_env.get_config().set("pipeline.auto-watermark-interval", "0 ms")
    options = f"'connector' = 'filesystem', 'path' = '{path}', 'format' = 'json'"
    t_env.execute_sql(f"CREATE TABLE events ({COLUMNS}) WITH ({options})")
    return t_env


def _shown(value: Any) -> Any:
    if isinstance(value, dict):
        return sorted([_shown(one), count] for one, count in value.items())
    if isinstance(value, list | tuple):
        return list(map(_shown, value))
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _rows(t_env: Any, query: str) -> list[list[Any]]:
    """The rows of a query, each with its kind."""
    with t_env.execute_sql(query).collect() as rows:
        return [[str(row.get_row_kind()).rpartition(".")[2], *map(_shown, row)] for row in rows]


def _refusal(t_env: Any, query: str) -> str:
    try:
        t_env.explain_sql(query)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the outcome
        causes = [line for line in str(error).splitlines() if "Exception: " in line]
        return (causes[-1] if causes else str(error)).rpartition("Exception: ")[2]
    return ""


def _recorded(name: str, titles: Sequence[str], folder: str) -> tuple[dict[str, Any], dict[str, str]]:
    """The rows of queries on an input, and what refuses the others."""
    path = Path(folder) / f"{name.replace(' ', '-')}.json"
    path.write_text("".join(f"{line}\n" for line in lines(name)))
    t_env = _environment(path)
    rows = {title: _rows(t_env, QUERIES[title]) for title in titles}
    return rows, {title: _refusal(t_env, query) for title, query in REFUSED.items()}


if __name__ == "__main__":
    known = golden()["results"] if sys.argv[1:] else {}
    found: dict[str, Any] = {
        "pyflink": importlib.import_module("pyflink.version").__version__,
        "refusals": {},
        "results": {},
    }
    with tempfile.TemporaryDirectory() as folder:
        for name in INPUTS:
            rows, found["refusals"] = _recorded(name, sys.argv[1:] or list(QUERIES), folder)
            found["results"][name] = {title: {**known.get(name, {}), **rows}[title] for title in QUERIES}
    Path(__file__).with_name("golden.json").write_text(json.dumps(found, ensure_ascii=False) + "\n")
