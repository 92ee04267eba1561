"""Aggregate functions of PyFlink's Python workers, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from typing import Any, Final

from kafkastream.model.common.stand_ins import stand_in
from kafkastream.sql.user_functions import AggregateFunction
from kafkastream.table.data_view import ListView, MapView

__all__ = [
    "MAX_LONG_VALUE",
    "MIN_LONG_VALUE",
    "AggregateFunction",
    "AvgAggFunction",
    "Count1AggFunction",
    "CountAggFunction",
    "DecimalSum0AggFunction",
    "FirstValueAggFunction",
    "FirstValueWithRetractAggFunction",
    "FloatSum0AggFunction",
    "IntSum0AggFunction",
    "LastValueAggFunction",
    "LastValueWithRetractAggFunction",
    "ListAggFunction",
    "ListAggWithRetractAggFunction",
    "ListAggWsWithRetractAggFunction",
    "ListView",
    "MapView",
    "MaxAggFunction",
    "MaxWithRetractAggFunction",
    "MinAggFunction",
    "MinWithRetractAggFunction",
    "Sum0AggFunction",
    "SumAggFunction",
    "SumWithRetractAggFunction",
]

_INSTEAD: Final = "Call the built-in function in a query, such as SUM, or write an AggregateFunction of your own."

MAX_LONG_VALUE: Final = 2**63 - 1
MIN_LONG_VALUE: Final = -(2**63)

AvgAggFunction: Any = stand_in(__name__, "AvgAggFunction", _INSTEAD)
Count1AggFunction: Any = stand_in(__name__, "Count1AggFunction", _INSTEAD)
CountAggFunction: Any = stand_in(__name__, "CountAggFunction", _INSTEAD)
DecimalSum0AggFunction: Any = stand_in(__name__, "DecimalSum0AggFunction", _INSTEAD)
FirstValueAggFunction: Any = stand_in(__name__, "FirstValueAggFunction", _INSTEAD)
FirstValueWithRetractAggFunction: Any = stand_in(__name__, "FirstValueWithRetractAggFunction", _INSTEAD)
FloatSum0AggFunction: Any = stand_in(__name__, "FloatSum0AggFunction", _INSTEAD)
IntSum0AggFunction: Any = stand_in(__name__, "IntSum0AggFunction", _INSTEAD)
LastValueAggFunction: Any = stand_in(__name__, "LastValueAggFunction", _INSTEAD)
LastValueWithRetractAggFunction: Any = stand_in(__name__, "LastValueWithRetractAggFunction", _INSTEAD)
ListAggFunction: Any = stand_in(__name__, "ListAggFunction", _INSTEAD)
ListAggWithRetractAggFunction: Any = stand_in(__name__, "ListAggWithRetractAggFunction", _INSTEAD)
ListAggWsWithRetractAggFunction: Any = stand_in(__name__, "ListAggWsWithRetractAggFunction", _INSTEAD)
MaxAggFunction: Any = stand_in(__name__, "MaxAggFunction", _INSTEAD)
MaxWithRetractAggFunction: Any = stand_in(__name__, "MaxWithRetractAggFunction", _INSTEAD)
MinAggFunction: Any = stand_in(__name__, "MinAggFunction", _INSTEAD)
MinWithRetractAggFunction: Any = stand_in(__name__, "MinWithRetractAggFunction", _INSTEAD)
Sum0AggFunction: Any = stand_in(__name__, "Sum0AggFunction", _INSTEAD)
SumAggFunction: Any = stand_in(__name__, "SumAggFunction", _INSTEAD)
SumWithRetractAggFunction: Any = stand_in(__name__, "SumWithRetractAggFunction", _INSTEAD)
