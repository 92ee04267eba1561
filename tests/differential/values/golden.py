"""Write what PyFlink makes of values and programs: run it with a Python that has apache-flink, first on the PATH.

    python -m tests.differential.values.golden

The values of ``matrix.py`` go through PyFlink's coders, each in a process of its own, since a coder may read past the end
of a tuple and crash. The programs of ``shapes.py`` are a job each.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.differential.values.matrix import CASES, described, names
from tests.differential.values.shapes import SHAPES, Engine

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


def _lines(shape: Any, printed: Path) -> list[str]:
    """What a program prints; collecting its stream would chain operators in another order than ``execute`` does."""
    engine, configuration = Engine("pyflink"), _COMMON.Configuration()
    configuration.set_string("python.fn-execution.bundle.time", "200")
    configuration.set_string("taskmanager.numberOfTaskSlots", "4")  # one has an operator in another slot
    env = engine.environment(configuration)
    env.set_parallelism(1)
    shape(engine, env).print()
    before = printed.stat().st_size
    env.execute()
    lines = printed.read_bytes()[before:].decode().splitlines()
    return sorted(re.sub(" object at 0x[0-9a-f]+", "", line) for line in lines)


if __name__ == "__main__":
    with tempfile.NamedTemporaryFile() as file:
        os.dup2(file.fileno(), sys.stdout.fileno())  # before PyFlink starts its JVM, whose standard output it is, too
        coders = {kind: {text: _outcome(_coder(kind), text) for text in texts} for kind, texts in CASES.items()}
        shapes = {name: _lines(shape, Path(file.name)) for name, shape in SHAPES.items()}
    found = {"pyflink": importlib.import_module("pyflink.version").__version__, "coders": coders, "shapes": shapes}
    Path(__file__).with_name("golden.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
