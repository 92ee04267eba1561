"""Write what PyFlink's coders make of the values in ``matrix.py``: run it with a Python that has apache-flink.

    python -m tests.differential.values.golden

Each value has a process of its own, since a coder may read past the end of a tuple and crash.
"""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

from tests.differential.values.matrix import CASES, described, names

_COMMON = importlib.import_module("pyflink.common")  # not installed where this is type-checked
_CODERS = importlib.import_module("pyflink.fn_execution.coders")
_NAMES = names(_COMMON.Row, _COMMON.RowKind, _COMMON.Instant, _COMMON.Types)


def _coder(type_text: str) -> Any:
    coder = _CODERS.from_type_info(eval(type_text, dict(_NAMES)))
    # Between operators a list goes as an array without None (from_type_info_proto); only state uses the other coder.
    return _CODERS.PrimitiveArrayCoder(coder._elem_coder) if type_text.startswith("Types.LIST") else coder


def _outcome(coder: Any, value_text: str) -> str:
    """What comes out, or what is raised."""
    reading, writing = os.pipe()
    if not os.fork():
        impl = coder.get_impl()
        try:
            text = f"= {described(impl.decode(impl.encode(eval(value_text, dict(_NAMES)))))}"
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the outcome
            text = f"! {type(error).__name__}: {error}"
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as end:
        text = end.read().decode()
    _, status = os.wait()
    return text if not status else "! the process crashed"


if __name__ == "__main__":
    found = {kind: {text: _outcome(_coder(kind), text) for text in texts} for kind, texts in CASES.items()}
    golden = json.dumps(
        {"pyflink": importlib.import_module("pyflink.version").__version__, "coders": found},
        indent=1,
        ensure_ascii=False,
    )
    Path(__file__).with_name("golden.json").write_text(golden + "\n")
