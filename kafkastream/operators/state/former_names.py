"""Former module names of classes that lie in state: pickles of earlier versions go on naming them.

Add a module here when a class moves whose values may lie in state; ``tests/integration/kept`` holds such checkpoints.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

_MODULES: Final = {
    "kafkastream.keyed.long_lists": "kafkastream.operators.state.list_segments",
    "kafkastream.keyed.timers": "kafkastream.operators.state.timers",
    "kafkastream.spec.record": "kafkastream.model.connectors.record_deserialization",
    "kafkastream.spec.row": "kafkastream.model.common.row",
    "kafkastream.spec.time": "kafkastream.model.common.time",
    "kafkastream.spec.types": "kafkastream.model.common.types",
    "kafkastream.spec.values": "kafkastream.model.common.immutable",
    "kafkastream.spec.window": "kafkastream.model.windows.windows",
}

# Unpickling takes a module that stands in sys.modules as it is, and asks for none of its packages.
sys.modules.update({former: import_module(name) for former, name in _MODULES.items()})
