"""Former names of classes in state: checkpoints of an earlier version still refer to them.

State is pickled, and a pickle holds the module and the name of each class. ``STATE_CLASSES`` lists them: a
test reads each, and another one fails when an operator writes a class that is not in the list. When a class moves or gets
another name, its entry stays, its former module becomes one of ``_MODULES``, and ``STATE_CLASSES`` gets a further entry.
``tests/integration/kept`` holds checkpoints of each format.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

__all__ = ["STATE_CLASSES"]

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

STATE_CLASSES: Final = (
    # written by operators
    ("kafkastream.model.common.row", "RowKind"),
    ("kafkastream.model.common.row", "_rebuild"),
    ("kafkastream.model.windows.windows", "CountWindow"),
    ("kafkastream.model.windows.windows", "GlobalWindow"),
    ("kafkastream.model.windows.windows", "TimeWindow"),
    ("kafkastream.operators.state.list_segments", "LongList"),
    ("kafkastream.operators.state.program_classes", "named_member"),
    ("kafkastream.operators.state.program_classes", "program_class"),
    # values of the user's
    ("kafkastream.model.common.immutable", "FrozenMap"),
    ("kafkastream.model.common.time", "Duration"),
    ("kafkastream.model.common.time", "Instant"),
    ("kafkastream.model.common.time", "Time"),
    ("kafkastream.model.connectors.record_deserialization", "ConsumerRecord"),
    ("kafkastream.model.connectors.record_deserialization", "TimestampType"),
    ("kafkastream.sql.data_views", "ListView"),
    ("kafkastream.sql.data_views", "MapView"),
    # written by earlier versions
    ("kafkastream.keyed.long_lists", "LongList"),
    ("kafkastream.keyed.timers", "Timer"),
    ("kafkastream.spec.record", "ConsumerRecord"),
    ("kafkastream.spec.record", "TimestampType"),
    ("kafkastream.spec.row", "RowKind"),
    ("kafkastream.spec.row", "_rebuild"),
    ("kafkastream.spec.time", "Duration"),
    ("kafkastream.spec.time", "Instant"),
    ("kafkastream.spec.time", "Time"),
    ("kafkastream.spec.values", "FrozenMap"),
    ("kafkastream.spec.window", "CountWindow"),
    ("kafkastream.spec.window", "GlobalWindow"),
    ("kafkastream.spec.window", "TimeWindow"),
)
"""Module and name of each class and function of this package that may occur in a pickle of state."""

# Unpickling takes a module that is in sys.modules as it is, and asks for none of its packages.
sys.modules.update({former: import_module(name) for former, name in _MODULES.items()})
