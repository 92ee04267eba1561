"""Writes what real Flink gives for Nexmark's queries: ``python -m tests.differential.golden_nexmark PYTHON``.

PYTHON has apache-flink. The events are generated here, and read by Flink from a file.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.nexmark_queries import events_table
from kafkastream.model.common.row import Row
from kafkastream.sql.connectors.nexmark import NEXMARK_COLUMNS
from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.differential.golden import ROOT, version_of
from tests.differential.nexmark_rows import OPTIONS, SIDE_INPUT

NEXMARK = Path(__file__).with_name("nexmark.json")


def main(python: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        request = {name: str(Path(folder) / name) for name in ("events", "side", "result")}
        Path(request["events"]).write_text(_events())
        Path(request["side"]).write_text("".join(f"{key},{value}\n" for key, value in SIDE_INPUT))
        subprocess.run(
            [python, "-m", "tests.differential.nexmark_on_flink"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TZ": "UTC"},
            input=json.dumps(request),
            text=True,
            check=True,
        )
        found = json.loads(Path(request["result"]).read_text())
    content = {"apache-flink": version_of(python), "events": OPTIONS, "queries": found}
    NEXMARK.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _events() -> str:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1").set("table.local-time-zone", "UTC")
    t_env.execute_sql(events_table(OPTIONS))
    with t_env.execute_sql(f"SELECT {', '.join(NEXMARK_COLUMNS)} FROM events").collect() as rows:
        return "".join(json.dumps(dict(zip(NEXMARK_COLUMNS, map(_plain, row), strict=True))) + "\n" for row in rows)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "milliseconds")
    return {name: _plain(part) for name, part in value.as_dict().items()} if isinstance(value, Row) else value


if __name__ == "__main__":
    main(sys.argv[1])
