"""Wrappers of user-defined functions, which are PyFlink's own: importable, and refused when they are used."""

from __future__ import annotations

from typing import Any, Final

from kafkastream.model.common.stand_ins import stand_in

__all__ = [
    "DelegatingPandasAggregateFunction",
    "DelegatingScalarFunction",
    "DelegationTableFunction",
    "PandasAggregateFunctionWrapper",
    "UserDefinedAggregateFunctionWrapper",
    "UserDefinedFunctionWrapper",
    "UserDefinedScalarFunctionWrapper",
    "UserDefinedTableFunctionWrapper",
]

_INSTEAD: Final = "udf, udtf, udaf and udtaf make functions."

DelegatingPandasAggregateFunction: Any = stand_in(
    "kafkastream.table.udf", "DelegatingPandasAggregateFunction", _INSTEAD
)
DelegatingScalarFunction: Any = stand_in("kafkastream.table.udf", "DelegatingScalarFunction", _INSTEAD)
DelegationTableFunction: Any = stand_in("kafkastream.table.udf", "DelegationTableFunction", _INSTEAD)
PandasAggregateFunctionWrapper: Any = stand_in("kafkastream.table.udf", "PandasAggregateFunctionWrapper", _INSTEAD)
UserDefinedAggregateFunctionWrapper: Any = stand_in(
    "kafkastream.table.udf", "UserDefinedAggregateFunctionWrapper", _INSTEAD
)
UserDefinedFunctionWrapper: Any = stand_in("kafkastream.table.udf", "UserDefinedFunctionWrapper", _INSTEAD)
UserDefinedScalarFunctionWrapper: Any = stand_in("kafkastream.table.udf", "UserDefinedScalarFunctionWrapper", _INSTEAD)
UserDefinedTableFunctionWrapper: Any = stand_in("kafkastream.table.udf", "UserDefinedTableFunctionWrapper", _INSTEAD)
