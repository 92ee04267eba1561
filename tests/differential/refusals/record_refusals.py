"""Records what real Flink refuses: ``python -m tests.differential.refusals.record_refusals PYTHON [words|calls|texts ...]``.

PYTHON has apache-flink 2.2. Each part has its file: ``words.json``, ``calls.json``, ``texts.json``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.differential.refusals.accepted import packed
from tests.differential.refusals.refusal_cases import (
    BASES,
    KINDS,
    LITERALS,
    MOST,
    NAMED,
    PLACES,
    SYNTAX,
    TABLES,
    TEMPLATES,
)

HERE: Final = Path(__file__).parent
_REQUESTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "words": {"places": PLACES},
    "calls": {
        "kinds": KINDS,
        "bases": BASES,
        "templates": {one: one for one in TEMPLATES},
        "functions": NAMED,
        "most": MOST,
    },
    "texts": {"statements": [*SYNTAX, *(f"SELECT {one}" for one in LITERALS)]},
}


def main(python: str, *parts: str) -> None:
    for part in parts or _REQUESTS:
        request = {"of": part, "tables": TABLES, **_REQUESTS[part]}
        done = subprocess.run(
            [python, HERE / "asked_of_flink.py"],
            input=json.dumps(request),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        found = json.loads(done.stdout[done.stdout.index("{") :])
        if part == "calls":
            found["accepted"] = {call: packed(given) for call, given in found["accepted"].items() if given}
        lines = [f"{json.dumps(key)}: {_section(value)}" for key, value in found.items()]
        (HERE / f"{part}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _section(value: Mapping[str, Any] | Sequence[str] | str) -> str:
    """Return a part of the record, with one line for each of its keys."""
    if isinstance(value, Mapping):
        lines = [
            f" {json.dumps(key)}: {json.dumps(' '.join(one) if isinstance(one, list) else one)}"
            for key, one in value.items()
        ]
        return "{\n" + ",\n".join(lines) + "\n}"
    return json.dumps(value if isinstance(value, str) else " ".join(value))


if __name__ == "__main__":
    main(*sys.argv[1:])
