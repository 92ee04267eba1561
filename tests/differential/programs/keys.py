"""Keys of every type, and what is done with keyed streams."""

import datetime
from decimal import Decimal

from pyflink.common import Row, Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor

from tests.differential.program import bounded

STAMP = datetime.datetime(2024, 2, 29, 12, 30, 15, 123456)


class Count(KeyedProcessFunction):
    """Counts the elements of each key."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield f"{ctx.get_current_key()!r} {value!r} {count}"


def counted(env, keys, key_type=None):
    """How often each key has come."""
    selector = lambda place: keys[place]  # noqa: E731 - a lambda, as people write
    places = env.from_collection(list(range(len(keys))), Types.INT())
    keyed = places.key_by(selector) if key_type is None else places.key_by(selector, key_type)
    return keyed.process(Count(), Types.STRING())


@bounded(order="none")
def keys_of_numbers(env):
    """Keys become their declared type before they are grouped."""
    return {
        "int": counted(env, [1, 2, 1], Types.INT()),
        "long": counted(env, [1, 2**40, 1], Types.LONG()),
        "double": counted(env, [1.0, 0.5, 1.0, 0.0], Types.DOUBLE()),
        "float": counted(env, [0.1, 0.1, 0.25], Types.FLOAT()),
        "short": counted(env, [1, 2, 1], Types.SHORT()),
    }


@bounded(order="none")
def equal_keys_with_a_type(env):
    """Numbers that Python finds equal, and Flink does not."""
    return {
        "double": counted(env, [-0.0, 0.0], Types.DOUBLE()),
        "decimal": counted(env, [Decimal("1.0"), Decimal("1.00"), Decimal("1.0")], Types.BIG_DEC()),
    }


@bounded(order="none")
def keys_of_texts_and_times(env):
    return {
        "string": counted(env, ["a", "", "ä", "a"], Types.STRING()),
        "boolean": counted(env, [True, False, True], Types.BOOLEAN()),
        "date": counted(env, [STAMP.date(), datetime.date(1970, 1, 1), STAMP.date()], Types.SQL_DATE()),
        "time": counted(env, [datetime.time(1, 2, 3), datetime.time(1, 2, 3)], Types.SQL_TIME()),
        "timestamp": counted(env, [STAMP, STAMP], Types.SQL_TIMESTAMP()),
    }


@bounded(order="none")
def keys_of_several_fields(env):
    return {
        "tuple": counted(env, [("a", 1), ("a", 2), ("a", 1)], Types.TUPLE([Types.STRING(), Types.INT()])),
        "row": counted(env, [Row("a", 1), Row("a", 2), Row("a", 1)], Types.ROW([Types.STRING(), Types.INT()])),
        "named": counted(env, [Row(w="a"), Row(w="b"), Row(w="a")], Types.ROW_NAMED(["w"], [Types.STRING()])),
        "list": counted(env, [[1, 2], [1], [1, 2]], Types.LIST(Types.INT())),
    }


@bounded(order="none")
def keys_without_a_type(env):
    """Keys are pickled, and those are one whose pickles are."""
    return {
        "mixed": counted(env, ["a", 1, ("a", 1), "a", ("a", 1), 1]),
        "none": counted(env, [None, "a", None]),
    }


@bounded(order="none")
def equal_keys_without_a_type(env):
    """Equal numbers of three types have three pickles."""
    return counted(env, [1, 1.0, True, 1])


@bounded()
def keyed_map_and_filter(env):
    pairs = env.from_collection([("a", 1), ("b", 2), ("a", 3)], Types.TUPLE([Types.STRING(), Types.INT()]))
    keyed = pairs.key_by(lambda pair: pair[0], Types.STRING())
    return {
        "map": keyed.map(lambda pair: (pair[0], pair[1] * 2), Types.TUPLE([Types.STRING(), Types.INT()])),
        "flat_map": keyed.flat_map(lambda pair: [pair[0]] * pair[1], Types.STRING()),
        "filter": keyed.filter(lambda pair: pair[1] != 2),
        "reduce": keyed.reduce(lambda a, b: (a[0], a[1] + b[1])),
        "twice": keyed.key_by(lambda pair: pair[1] % 2, Types.INT()).reduce(lambda a, b: (a[0] + b[0], a[1] + b[1])),
    }


@bounded()
def aggregations_by_position(env):
    """sum, min, max, min_by and max_by on tuples."""
    three = Types.TUPLE([Types.STRING(), Types.INT(), Types.DOUBLE()])
    elements = [("a", 3, 0.5), ("b", 1, 1.5), ("a", 1, 2.5), ("a", 3, 0.25), ("b", 1, 9.0), ("a", 0, 0.5)]
    keyed = env.from_collection(elements, three).key_by(lambda value: value[0], Types.STRING())
    return {
        "sum": keyed.sum(1),
        "sum of fractions": keyed.sum(2),
        "min": keyed.min(1),
        "max": keyed.max(1),
        "min_by": keyed.min_by(1),
        "max_by": keyed.max_by(1),
        "max_by of fractions": keyed.max_by(2),
    }


@bounded()
def aggregations_by_name(env):
    """The same on the fields of rows, by their names."""
    row = Types.ROW_NAMED(["w", "n", "x"], [Types.STRING(), Types.INT(), Types.DOUBLE()])
    elements = [Row("a", 3, 0.5), Row("b", 1, 1.5), Row("a", 1, 2.5), Row("b", 7, 0.0)]
    keyed = env.from_collection(elements, row).key_by(lambda value: value[0], Types.STRING())
    return {
        "sum": keyed.sum("n"),
        "min": keyed.min("x"),
        "max": keyed.max("n"),
        "min_by": keyed.min_by("x"),
        "max_by": keyed.max_by("n"),
    }


@bounded()
def aggregations_of_plain_numbers(env):
    """Elements that are numbers themselves, at the default position."""
    keyed = env.from_collection([3, 1, 2, 5], Types.INT()).key_by(lambda n: n % 2, Types.INT())
    return {"sum": keyed.sum(), "min": keyed.min(), "max": keyed.max()}
