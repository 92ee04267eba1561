"""Helpers of PyFlink's own, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from typing import Any

from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.stand_ins import MACHINERY, stand_in

__all__ = [
    "Row",
    "RowKind",
    "arrow_to_pandas",
    "pandas_to_arrow",
    "pickled_bytes_to_python_converter",
    "to_expression_jarray",
    "tz_convert_from_internal",
    "tz_convert_to_internal",
]

arrow_to_pandas: Any = stand_in(__name__, "arrow_to_pandas", MACHINERY)
pandas_to_arrow: Any = stand_in(__name__, "pandas_to_arrow", MACHINERY)
pickled_bytes_to_python_converter: Any = stand_in(__name__, "pickled_bytes_to_python_converter", MACHINERY)
to_expression_jarray: Any = stand_in(__name__, "to_expression_jarray", MACHINERY)
tz_convert_from_internal: Any = stand_in(__name__, "tz_convert_from_internal", MACHINERY)
tz_convert_to_internal: Any = stand_in(__name__, "tz_convert_to_internal", MACHINERY)
