"""Built-in functions and operators: argument types, Flink's result type, and Spark SQL.

One module per topic, with a table; a new function is one entry. ``call`` makes a checked expression.
Begin with ``built_in``, the value that an entry is, and ``text_functions``, a table of many simple entries.
``type_rules``, ``bound_arguments`` and ``written_values`` are what entries are made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafkastream.sql.plan.expression import Call, TypedExpression
from kafkastream.sql.plan.functions.array_functions import ARRAY_FUNCTIONS
from kafkastream.sql.plan.functions.built_in import BuiltInFunction
from kafkastream.sql.plan.functions.choice_functions import CHOICES
from kafkastream.sql.plan.functions.collection_functions import COLLECTION_FUNCTIONS
from kafkastream.sql.plan.functions.json_constructors import JSON_CONSTRUCTORS
from kafkastream.sql.plan.functions.json_functions import JSON_FUNCTIONS
from kafkastream.sql.plan.functions.letter_functions import LETTER_FUNCTIONS
from kafkastream.sql.plan.functions.map_functions import MAP_FUNCTIONS
from kafkastream.sql.plan.functions.number_functions import NUMBERS
from kafkastream.sql.plan.functions.operator_functions import OPERATORS
from kafkastream.sql.plan.functions.padding_functions import PADDING_FUNCTIONS
from kafkastream.sql.plan.functions.pattern_functions import PATTERN_FUNCTIONS
from kafkastream.sql.plan.functions.regex_functions import REGEX_FUNCTIONS
from kafkastream.sql.plan.functions.text_functions import TEXTS
from kafkastream.sql.plan.functions.time_functions import TIME_FUNCTIONS
from kafkastream.sql.plan.functions.url_functions import URL_FUNCTIONS
from kafkastream.sql.plan.functions.window_functions import WINDOWS
from kafkastream.sql.plan.functions.zone_functions import ZONE_FUNCTIONS

__all__ = ["FUNCTIONS", "NAMES", "call"]

_CALLED: Final[Mapping[str, BuiltInFunction]] = {
    **TEXTS,
    **LETTER_FUNCTIONS,
    **PATTERN_FUNCTIONS,
    **URL_FUNCTIONS,
    **PADDING_FUNCTIONS,
    **REGEX_FUNCTIONS,
    **NUMBERS,
    **CHOICES,
    **TIME_FUNCTIONS,
    **ZONE_FUNCTIONS,
    **COLLECTION_FUNCTIONS,
    **ARRAY_FUNCTIONS,
    **MAP_FUNCTIONS,
    **JSON_FUNCTIONS,
    **JSON_CONSTRUCTORS,
}
FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {**OPERATORS, **WINDOWS, **_CALLED}
"""Functions and operators by name."""
_BY_GRAMMAR: Final = frozenset({"CEIL", "FLOOR", "OVERLAY", "POSITION"})
NAMES: Final = (
    *(name for name in _CALLED if name.isidentifier() and name not in _BY_GRAMMAR),
    *("CURRENT_DATABASE", "JSON_QUERY", "JSON_VALUE", "ROW", "TIMESTAMPADD", "TIMESTAMPDIFF"),
)
"""Names of functions with plain calls in SQL; CAST, CASE, EXTRACT, TRIM, POSITION and others have special syntax."""


def call(name: str, *arguments: TypedExpression) -> Call:
    """Call a built-in function or operator.

    Args:
        name: Name in ``FUNCTIONS``.
        arguments: Arguments.

    Raises:
        CallError: The arguments do not fit.

    Example:
        >>> from kafkastream.sql.plan.expression import Literal
        >>> str(call("+", Literal.whole(1), Literal.whole(2)).type)
        'INT NOT NULL'
    """
    return FUNCTIONS[name].checked(name, arguments)
