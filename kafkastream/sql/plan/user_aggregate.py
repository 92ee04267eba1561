"""User-defined aggregate functions of a plan."""

from __future__ import annotations

from typing import final

import attrs

from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.types import DataType
from kafkastream.sql.user_functions import ImperativeAggregateFunction, UserFunction

__all__ = ["UserAggregate"]


@final
@attrs.frozen(kw_only=True)
class UserAggregate:
    """A user-defined aggregate function with its arguments.

    Args:
        name: Name that the user writes.
        spark_name: Name that no other function of the process has.
        function: The function; the unique name identifies it where values are compared.
        argument_types: Types of the arguments.
        arguments: Positions of the input columns with the arguments; empty until the columns are known.
        zone: Time zone of the session, in which TIMESTAMP_LTZ arguments are passed.
    """

    name: str = attrs.field(eq=False)
    spark_name: str
    function: UserFunction = attrs.field(eq=False, repr=False)
    argument_types: tuple[DataType, ...]
    arguments: tuple[int, ...] = ()
    zone: str = "UTC"

    @staticmethod
    def of(named: NamedFunction, argument_types: tuple[DataType, ...]) -> UserAggregate:
        """Return the call of a named function."""
        return UserAggregate(
            name=named.name, spark_name=named.spark_name, function=named.function, argument_types=argument_types
        )

    def has(self, method: str) -> bool:
        """Return whether the function implements ``retract`` or ``merge``; one of pandas gets all rows instead."""
        function = self.function.function
        return self.function.is_pandas or (
            isinstance(function, ImperativeAggregateFunction) and function._implements(method)
        )
