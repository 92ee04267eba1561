"""How elements of every type are printed."""

import datetime
from decimal import Decimal

from pyflink.common import Row, Types

from tests.differential.program import bounded

STAMP = datetime.datetime(2024, 2, 29, 12, 30, 15, 123456)


def shown(env, *elements, type_info=None):
    return env.from_collection(list(elements), type_info)


@bounded(order="none")
def printed_numbers(env):
    for type_info, elements in (
        (Types.INT(), [1, -5]),
        (Types.LONG(), [2**40]),
        (Types.DOUBLE(), [1.0, 0.1, 1e300, -0.0, 1e-7, 123456789.125]),
        (Types.FLOAT(), [1.5, 1e10]),
        (Types.BIG_DEC(), [Decimal("1.10"), Decimal("0.0000001")]),
        (Types.BOOLEAN(), [True, False]),
    ):
        shown(env, *elements, type_info=type_info).print("printed_numbers")


@bounded(order="none")
def printed_texts_and_times(env):
    for type_info, elements in (
        (Types.STRING(), ["a b", "", "ß"]),
        (Types.SQL_DATE(), [STAMP.date()]),
        (Types.SQL_TIME(), [STAMP.time().replace(microsecond=0)]),
        (Types.SQL_TIMESTAMP(), [STAMP, STAMP.replace(microsecond=0)]),
    ):
        shown(env, *elements, type_info=type_info).print("printed_texts_and_times")


@bounded(order="none")
def printed_rows_and_tuples(env):
    row = Types.ROW_NAMED(["w", "n"], [Types.STRING(), Types.INT()])
    for type_info, elements in (
        (Types.ROW([Types.STRING(), Types.INT()]), [Row("a", 1), Row(None, None)]),
        (row, [Row(w="a", n=1)]),
        (Types.TUPLE([Types.STRING(), Types.DOUBLE()]), [("a", 1.5)]),
        (Types.ROW([Types.INT(), row]), [Row(1, Row(w="a", n=1))]),
    ):
        shown(env, *elements, type_info=type_info).print("printed_rows_and_tuples")


@bounded(order="none")
def printed_python_objects(env):
    """Without a type, elements are shown as Python does."""
    shown(env, 1, "a", 1.5, None, (1, "a"), [1, None], {"a": 1}, Row(a=1), True, STAMP, Decimal("1.10")).print(
        "printed_python_objects"
    )


@bounded(order="none")
def printed_behind_operators(env):
    """What map, reduce and sum are printed as, with and without a type."""
    pairs = shown(env, ("a", 1), ("a", 2), type_info=Types.TUPLE([Types.STRING(), Types.INT()]))
    pairs.map(lambda pair: (pair[0], pair[1] / 2), Types.TUPLE([Types.STRING(), Types.DOUBLE()])).print(
        "printed_behind_operators"
    )
    pairs.map(lambda pair: pair).print("printed_behind_operators")
    pairs.key_by(lambda pair: pair[0]).sum(1).print("printed_behind_operators")
    pairs.map(lambda pair: [pair[1]], Types.LIST(Types.INT())).print("printed_behind_operators")
    pairs.map(lambda pair: {"k": pair[1]}, Types.MAP(Types.STRING(), Types.INT())).print("printed_behind_operators")
    pairs.map(lambda pair: Row(w=pair[0], n=pair[1])).print("printed_behind_operators")


VALUES = {
    "TINYINT": "CAST(1 AS TINYINT)",
    "BOOLEAN": "TRUE",
    "FLOAT": "CAST(1.5 AS FLOAT)",
    "DOUBLE": "1e10",
    "DECIMAL(10, 2)": "CAST(1.5 AS DECIMAL(10, 2))",
    "STRING": "'a b'",
    "CHAR(3)": "'abc'",
    "BYTES": "x'00ff'",
    "DATE": "DATE '2024-05-01'",
    "TIME": "TIME '12:30:00'",
    "TIMESTAMP(0)": "TIMESTAMP '2024-05-01 12:30:01'",
    "TIMESTAMP(3)": "TIMESTAMP '2024-05-01 12:30:00'",
    "TIMESTAMP(6)": "TIMESTAMP '2024-05-01 12:30:00.120000'",
    "TIMESTAMP_LTZ(3)": "CAST(TIMESTAMP '2024-05-01 12:30:00' AS TIMESTAMP_LTZ(3))",
    "ARRAY<INT>": "ARRAY[1, CAST(NULL AS INT)]",
    "MAP<STRING, INT>": "MAP['k', 1]",
    "ROW<x INT, t TIMESTAMP(3)>": "ROW(1, TIMESTAMP '2024-05-01 12:30:00')",
    "INT": "CAST(NULL AS INT)",
}


@bounded(alone=True, executes=True)
def printed_table_rows(env):
    """Rows of a table of the connector print."""
    from pyflink.table import StreamTableEnvironment

    t_env = StreamTableEnvironment.create(env)
    t_env.get_config().set("table.local-time-zone", "Asia/Tokyo")
    columns = ", ".join(f"c{number} {type_text}" for number, type_text in enumerate(VALUES))
    options = "'connector' = 'print', 'print-identifier' = 'printed_table_rows'"
    t_env.execute_sql(f"CREATE TABLE seen ({columns}) WITH ({options})")
    t_env.execute_sql(f"INSERT INTO seen SELECT {', '.join(VALUES.values())}").wait()
