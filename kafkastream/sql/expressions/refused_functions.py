"""Flink's functions that are not here, each with another way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["REFUSED_FUNCTIONS"]

_MODEL: Final = "Call the model in a Python function: {0} needs one in Flink's catalog."
_VARIANT: Final = "There is no type VARIANT here: read values by JSON_VALUE or JSON_QUERY."
_CLASS: Final = "It makes an object of a Java class; write ROW(...)."
_LETTERS: Final = "Write REGEXP(s, '^...$')."
REFUSED_FUNCTIONS: Final[Mapping[str, str]] = {
    "APPROX_COUNT_DISTINCT": "Flink has it for batches alone: write COUNT(DISTINCT x).",
    "CURRENT_DATABASE": "Write the name of the database as a text.",
    "CURRENT_WATERMARK": "The watermark is not to be seen by expressions here.",
    "IS_ALPHA": _LETTERS,
    "IS_DECIMAL": _LETTERS,
    "IS_DIGIT": _LETTERS,
    "JSON": "JSON(text) is a value of JSON_OBJECT or JSON_ARRAY.",
    "JSON_ARRAYAGG": "Write ARRAY_AGG, and JSON_STRING of its result.",
    "JSON_OBJECTAGG": "Make a text in a Python aggregate function.",
    **{name: _MODEL.format(name) for name in ("ML_EVALUATE", "ML_PREDICT", "VECTOR_SEARCH")},
    "OBJECT_OF": _CLASS,
    "OBJECT_UPDATE": _CLASS,
    "PARSE_JSON": _VARIANT,
    "PERCENTILE": "Compute it in a Python aggregate function.",
    "SOURCE_WATERMARK": "Write WATERMARK FOR ts AS ts - INTERVAL '5' SECOND.",
    "TRY_PARSE_JSON": _VARIANT,
}
"""What to do in place of each function."""
