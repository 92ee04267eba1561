from __future__ import annotations

import enum
from typing import Any

from typing_extensions import reveal_type

from kafkastream.common import Row, Types
from kafkastream.common.typeinfo import TypeInformation


class Color(enum.Enum):
    RED = 1


def of_numbers(type_info: TypeInformation[int]) -> None: ...


def of_anything(type_info: TypeInformation[Any]) -> None: ...


reveal_type(Types.STRING())  # reveals: TypeInformation[str]
reveal_type(Types.LIST(Types.INT()))  # reveals: TypeInformation[list[int]]
reveal_type(Types.MAP(Types.STRING(), Types.LONG()))  # reveals: TypeInformation[dict[str, int]]
reveal_type(Types.INSTANT())  # reveals: TypeInformation[Instant]
reveal_type(Types.SQL_DATE())  # reveals: TypeInformation[date]
reveal_type(Types.BIG_DEC())  # reveals: TypeInformation[Decimal]
reveal_type(Types.VOID())  # reveals: TypeInformation[None]
reveal_type(Types.TUPLE([Types.STRING()]))  # reveals: TypeInformation[tuple[Any, ...]]
reveal_type(Types.BASIC_ARRAY(Types.INT()))  # reveals: TypeInformation[list[int]]
reveal_type(Types.PICKLED_BYTE_ARRAY())  # reveals: TypeInformation[Any]
reveal_type(Types.GENERIC(Color))  # reveals: TypeInformation[Color]
reveal_type(Types.ROW([Types.STRING()]))  # reveals: RowTypeInfo
rows: TypeInformation[Row] = Types.ROW_NAMED(["name"], [Types.STRING()])
of_numbers(Types.LONG())
of_numbers(Types.STRING())  # error: incompatible type "TypeInformation[str]"
of_anything(Types.LIST(Types.MAP(Types.STRING(), rows)))
of_anything(Types.STRING)  # error: incompatible type
Types.ROW(Types.STRING(), Types.INT())  # error: Too many arguments
Types.LIST(str)  # error: incompatible type
rows.kind = Types.INT().kind  # error: read-only
reveal_type(Row(name="Alice")["name"])  # reveals: Any
reveal_type(Row(name="Alice").name)  # reveals: Any
reveal_type(Row.of_kind(Row("a").get_row_kind(), 1).getRowKind())  # reveals: RowKind
Row(name="Alice").name = "Bob"  # error: has no attribute "name"
