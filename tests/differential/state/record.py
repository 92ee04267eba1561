"""Records what real PyFlink gives: ``python tests/differential/state/record.py`` with a Python that has apache-flink.

Each case runs in process mode with bundles of 1000 elements; some with bundles of one, and in thread mode, too.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def main() -> None:
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    names: dict[str, Any] = {"__name__": "__main__"}
    for name in ("cases", "operations", "windowed", "running"):
        text = (HERE / f"{name}.py").read_text().replace("from kafkastream", "from pyflink")
        exec(compile(text, name, "exec"), names)
    found: dict[str, Any] = {"apache-flink": version("apache-flink"), "cases": {}, "windows": {}}
    for label, life in {"for ever": None, **names["LIVES"]}.items():
        cases = names["PLAIN" if life is None else "LIVING"]
        found["cases"][label] = {case: {} for case in cases}
        for mode in names["MODES"] if life in (None, "") else ["process", "thread"]:
            for case, answers in names["answers_of"](mode, names["Operations"](life), cases).items():
                found["cases"][label][case][mode] = answers
    programs, elements = names["WINDOWED"], names["ELEMENTS"]
    together = {name: build for name, build in programs.items() if name not in names["ALONE"]}
    found["windows"] = names["lines_of"](elements, together)
    for name in names["ALONE"]:
        found["windows"] |= names["lines_of"](elements, {name: programs[name]})
    (HERE / "golden.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
