"""Keyed state of every kind, over several steps."""

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.functions import AggregateFunction, ReduceFunction, RuntimeContext
from pyflink.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)

from tests.differential.program import stepped


def key_of(line):
    return line.split("@")[0].split("=")[0]


def value_of(line):
    """``a=none`` has None as its value, ``a=3`` the number 3, ``a=x`` the text x."""
    text = line.split("=")[1]
    return {"none": None, "empty": "", "zero": 0, "list": [1, [2, None]], "clear": "clear"}.get(text, text)


class Values(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        self.state = runtime_context.get_state(ValueStateDescriptor("value", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, line, ctx):
        before = self.state.value()
        value = value_of(line)
        if value == "clear":
            self.state.clear()
        else:
            self.state.update(value)
        yield f"{ctx.get_current_key()} {before!r} -> {self.state.value()!r}"


@stepped("a=1 b=x a=2", "a=none a=zero", "a=empty b=clear", "a=list b=none", "a=clear b=list", "a=5 b=6")
def value_state(lines):
    """Values, None and falsy ones too, before and behind a step."""
    return lines.key_by(key_of, Types.STRING()).process(Values())


class Lists(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        self.state = runtime_context.get_list_state(ListStateDescriptor("list", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, line, ctx):
        value = value_of(line)
        if value == "clear":
            self.state.clear()
        elif value == "swap":
            self.state.update([9, 8])
        elif value == "all":
            self.state.add_all([5, 6])
        elif value == "drop":
            self.state.update([])
        elif value != "look":
            self.state.add(value)
        elements = self.state.get()
        once = list(elements)
        again = list(elements)
        yield f"{ctx.get_current_key()} {once!r} {again!r}"


@stepped("a=look a=1 a=zero b=x", "a=list a=empty b=all", "a=swap b=look", "a=drop b=clear", "a=look b=look a=7")
def list_state(lines):
    """A list, whose elements can be read twice."""
    return lines.key_by(key_of, Types.STRING()).process(Lists())


class Maps(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        descriptor = MapStateDescriptor("map", Types.STRING(), Types.PICKLED_BYTE_ARRAY())
        self.state = runtime_context.get_map_state(descriptor)

    def process_element(self, line, ctx):
        _, way, *rest = line.split("=")
        answer = None
        if way == "put":
            self.state.put(rest[0], value_of("=" + rest[1]))
        elif way == "remove":
            self.state.remove(rest[0])
        elif way == "clear":
            self.state.clear()
        elif way == "has":
            answer = (self.state.contains(rest[0]), self.state.get(rest[0]))
        items = sorted(self.state.items(), key=repr)
        both = sorted(self.state.keys()), sorted(self.state.values(), key=repr)
        yield f"{ctx.get_current_key()} {way} {answer} {items} {both} {len(list(self.state))}"


@stepped(
    "a=look a=put=x=1 a=put=y=none b=put=x=zero",
    "a=has=x a=has=z a=remove=y b=has=x",
    "a=has=y a=put=y=list",
    "a=remove=x b=remove=x",
    "a=put=q=none a=remove=never b=look",
    "a=look a=remove=q",
    "a=look b=put=x=5 a=clear",
    "a=look b=look",
)
def map_state(lines):
    """A map, with entries of None, that come and go over the steps."""
    return lines.key_by(key_of, Types.STRING()).process(Maps())


class Adding(ReduceFunction):
    def reduce(self, value1, value2):
        return value1 + value2


class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value, accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1] if accumulator[1] else None

    def merge(self, acc_a, acc_b):
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


class Folded(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        self.sum = runtime_context.get_reducing_state(ReducingStateDescriptor("sum", Adding(), Types.LONG()))
        descriptor = AggregatingStateDescriptor("mean", Mean(), Types.PICKLED_BYTE_ARRAY())
        self.mean = runtime_context.get_aggregating_state(descriptor)

    def process_element(self, line, ctx):
        if line.endswith("=clear"):
            self.sum.clear()
            self.mean.clear()
        elif not line.endswith("=look"):
            self.sum.add(int(line.split("=")[1]))
            self.mean.add(int(line.split("=")[1]))
        yield f"{ctx.get_current_key()} {self.sum.get()!r} {self.mean.get()!r}"


@stepped("a=look a=1 b=4", "a=2 a=6 b=-4", "a=clear b=look", "a=look a=5 b=1")
def reducing_and_aggregating_state(lines):
    return lines.key_by(key_of, Types.STRING()).process(Folded())


class InPlace(KeyedProcessFunction):
    """Changes the value of a state without telling it."""

    def open(self, runtime_context: RuntimeContext):
        self.value = runtime_context.get_state(ValueStateDescriptor("value", Types.PICKLED_BYTE_ARRAY()))
        self.map = runtime_context.get_map_state(MapStateDescriptor("map", Types.STRING(), Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, line, ctx):
        value = self.value.value()
        if value is None:
            value = []
            self.value.update(value)
        value.append(line)
        inner = self.map.get("x")
        if inner is None:
            inner = []
            self.map.put("x", inner)
        inner.append(line)
        yield f"{ctx.get_current_key()} {self.value.value()!r} {self.map.get('x')!r}"


@stepped("a=1 a=2", "a=3 b=1", "a=4 b=2")
def changed_in_place(lines):
    """A value that is changed in place, without update."""
    return lines.key_by(key_of, Types.STRING()).process(InPlace())
