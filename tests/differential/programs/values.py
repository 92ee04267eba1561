"""Values as they come through operators of declared types.

Types that PyFlink's ``from_collection`` cannot take (LIST, arrays of bytes, pickled rows and sets) come from a map alone; CHAR
and BIG_INT it can take nowhere.
"""

import datetime
from decimal import Decimal

from pyflink.common import Instant, Row, Types

from tests.differential.program import bounded

DAY = datetime.date(2024, 2, 29)
TIME = datetime.time(12, 30, 15, 123456)
STAMP = datetime.datetime(2024, 2, 29, 12, 30, 15, 123456)
NAMED = Types.ROW_NAMED(["w", "n"], [Types.STRING(), Types.INT()])


def mapped(env, type_info, *elements):
    """Elements by a map that declares the type."""
    return env.from_collection(list(range(len(elements))), Types.INT()).map(lambda n: elements[n], type_info)


def collection(env, type_info, *elements):
    return env.from_collection(list(elements), type_info)


def both(env, name, type_info, *elements):
    return {
        f"{name} of a map": mapped(env, type_info, *elements),
        f"{name} of a collection": collection(env, type_info, *elements),
    }


@bounded()
def whole_numbers(env):
    """Whole numbers at the ends of their ranges."""
    return {
        **both(env, "byte", Types.BYTE(), -128, -1, 127),
        **both(env, "short", Types.SHORT(), -(2**15), 2**15 - 1),
        **both(env, "int", Types.INT(), -(2**31), -1, 2**31 - 1),
        **both(env, "long", Types.LONG(), -(2**63), 0, 2**63 - 1),
    }


@bounded()
def whole_numbers_of_other_types(env):
    """A fraction and a truth value under INT become whole numbers behind a map."""
    return {
        "fraction": mapped(env, Types.INT(), 1.5, -1.5),
        "truth": mapped(env, Types.INT(), True),
    }


@bounded()
def fractions(env):
    """FLOAT has 32 bits; a whole number under DOUBLE becomes a fraction."""
    values = 0.1, 1.5, -0.0, 1e30, float("inf"), float("nan")
    return {
        **both(env, "float", Types.FLOAT(), *values),
        **both(env, "double", Types.DOUBLE(), *values),
        "float of int": mapped(env, Types.FLOAT(), 3, 2**24 + 1),
        "double of int": mapped(env, Types.DOUBLE(), 3),
    }


@bounded()
def decimals(env):
    values = Decimal("1.10"), Decimal("-0.000000000000000000012"), Decimal("1E+3"), Decimal(0)
    return {
        **both(env, "decimal", Types.BIG_DEC(), *values),
        "of other numbers": mapped(env, Types.BIG_DEC(), 1, 1.5),
    }


@bounded()
def texts_and_bytes(env):
    """Text, bytes, truth."""
    return {
        **both(env, "string", Types.STRING(), "", "a", "zwölf 😀", "a\tb\nc", "\x00"),
        **both(env, "boolean", Types.BOOLEAN(), True, False),
        "boolean of int": mapped(env, Types.BOOLEAN(), 1, 0),
        "bytes": mapped(env, Types.PRIMITIVE_ARRAY(Types.BYTE()), b"", b"\x00\xff", bytearray(b"ab")),
    }


@bounded()
def pickled(env):
    """Without a type, values stay what they are."""
    values = {1, 2}, {"a": [1, (2, 3)]}, Row(a=1), (1, [2]), STAMP
    return {"declared": mapped(env, Types.PICKLED_BYTE_ARRAY(), *values), "undeclared": mapped(env, None, *values)}


@bounded()
def collections_without_a_type(env):
    """PyFlink keeps what Java keeps of them."""
    return {
        "numbers": env.from_collection([1, 2**40, 1.5, True]),
        "texts": env.from_collection(["a", ""]),
        "tuples": env.from_collection([(1, "a"), (2, None)]),
        "lists": env.from_collection([[1, "a"], []]),
        "maps": env.from_collection([{"a": 1}, {}]),
        "times": env.from_collection([STAMP, DAY, TIME]),
        "decimals": env.from_collection([Decimal("1.10")]),
    }


@bounded()
def dates_and_times(env):
    """Times and timestamps end at milliseconds."""
    return {
        **both(env, "date", Types.SQL_DATE(), DAY, datetime.date(1900, 1, 1)),
        **both(env, "time", Types.SQL_TIME(), TIME, datetime.time(0, 0), datetime.time(23, 59, 59, 999000)),
        **both(env, "timestamp", Types.SQL_TIMESTAMP(), STAMP, datetime.datetime(1969, 12, 31, 12, 0)),
        **both(env, "instant", Types.INSTANT(), Instant(5, 123000000), Instant(-1, 0)),
        "fine instant": mapped(env, Types.INSTANT(), Instant(5, 123456789)),
    }


@bounded()
def rows(env):
    """Rows with and without names; what a collection holds becomes rows."""
    fields = Types.ROW([Types.STRING(), Types.INT()])
    return {
        **both(env, "row", fields, Row("a", 1), Row(None, None)),
        "row of others": collection(env, fields, ("b", 2), ["c", 3]),
        **both(env, "named", NAMED, Row(w="a", n=1), Row(n=2, w="b"), Row("c", 3), Row(w=None, n=5)),
        "named of others": collection(env, NAMED, ("d", 4), ["e", 5], {"n": 6, "w": "f"}),
    }


@bounded()
def nested_rows(env):
    nested = Types.ROW_NAMED(["id", "in"], [Types.LONG(), NAMED])
    return {
        **both(env, "nested", nested, Row(1, Row(w="a", n=1)), Row(2, Row(n=2, w="b"))),
        "nested of tuples": collection(env, nested, (2, ("b", 2))),
    }


@bounded()
def tuples(env):
    pair = Types.TUPLE([Types.STRING(), Types.INT()])
    return {
        **both(env, "pair", pair, ("a", 1), ("b", -1)),
        "pair of others": collection(env, pair, ["c", 2], Row("d", 3)),
        **both(env, "float", Types.TUPLE([Types.STRING(), Types.FLOAT()]), ("a", 0.1)),
        **both(env, "nested", Types.TUPLE([Types.INT(), Types.TUPLE([Types.INT(), Types.STRING()])]), (1, (2, "x"))),
        **both(
            env, "row in it", Types.TUPLE([Types.INT(), Types.ROW([Types.INT(), Types.STRING()])]), (1, Row(2, "x"))
        ),
    }


@bounded()
def containers(env):
    """Lists, arrays and maps, empty ones and nested ones."""
    return {
        "list": mapped(env, Types.LIST(Types.INT()), [1, 2], []),
        "lists": mapped(env, Types.LIST(Types.LIST(Types.STRING())), [["a"], []]),
        "rows": mapped(env, Types.LIST(NAMED), [Row(n=1, w="a")]),
        "floats": mapped(env, Types.LIST(Types.FLOAT()), [0.1]),
        **both(env, "ints", Types.PRIMITIVE_ARRAY(Types.INT()), [1, 2], []),
        **both(env, "strings", Types.BASIC_ARRAY(Types.STRING()), ["a", "b"], []),
        "objects": mapped(env, Types.OBJECT_ARRAY(Types.ROW([Types.INT()])), [Row(1), Row(2)]),
        **both(env, "map", Types.MAP(Types.STRING(), Types.INT()), {"a": 1}, {}),
        "map of lists": mapped(env, Types.MAP(Types.INT(), Types.LIST(Types.INT())), {1: [2, 3]}),
        "map of floats": mapped(env, Types.MAP(Types.STRING(), Types.FLOAT()), {"a": 0.1}),
    }


EVERY = Types.ROW(
    [
        Types.STRING(),
        Types.INT(),
        Types.DOUBLE(),
        Types.FLOAT(),
        Types.BIG_DEC(),
        Types.BOOLEAN(),
        Types.SQL_DATE(),
        Types.SQL_TIME(),
        Types.SQL_TIMESTAMP(),
        Types.MAP(Types.STRING(), Types.INT()),
        Types.TUPLE([Types.INT()]),
    ]
)


@bounded()
def rows_of_every_type(env):
    """None in all fields, and values in all fields."""
    full = Row("a", 1, 1.5, 0.1, Decimal("1.20"), True, DAY, TIME, STAMP, {"a": 1}, (1,))
    return both(env, "every", EVERY, Row(*[None] * 11), full)


@bounded()
def flat_maps(env):
    """flat_map may give a list, a generator, or anything else that can be iterated."""
    numbers = env.from_collection([1, 2, 3], Types.INT())
    return {
        "list": numbers.flat_map(lambda n: [] if n == 2 else [n], Types.INT()),
        "generator": numbers.flat_map(lambda n: (n for _ in range(n - 1)), Types.INT()),
        "text": numbers.flat_map(lambda n: "ab", Types.STRING()),
        "tuple": numbers.flat_map(lambda n: (n, -n), Types.INT()),
    }


@bounded()
def types_along_a_chain(env):
    """filter and key_by keep the type of what comes in; project takes fields of it."""
    triple = Types.TUPLE([Types.STRING(), Types.FLOAT(), Types.INT()])
    stream = env.from_collection([("a", 0.1, 1), ("b", 0.5, 2)], triple)
    return {
        "filter": stream.filter(lambda value: value[2] == 1),
        "project": stream.project(1, 0),
        "keyed": stream.key_by(lambda value: value[0], Types.STRING()).map(lambda value: value[1] * 2, Types.FLOAT()),
    }
