# mypy: ignore-errors
"""Random graphs of functions that change all that they can reach, and what Flink gives for them.

A graph is plain data, made from a seed. ``build`` makes streams of it on either engine; ``reference`` runs it in plain
Python and copies elements where PyFlink serializes them, at the moment at which they are emitted. ``golden.json`` has what
real PyFlink gave for the first seeds, which confirms the reference.

Nothing here imports Flink, Spark or kafkastream.
"""

from __future__ import annotations

import copy
import hashlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

INPUT = [0, 1, 2, 3, 4]
KEYS = 2
FORMS = ("list", "typed list", "dict", "tuple", "row", "object")
CHAINABLE = ("map_same", "map_past", "flat_buffer", "flat_refill", "filter_marking", "process_side", "process_output")
KEYED = (
    "keyed_state",
    "keyed_list_state",
    "keyed_reduce",
    "keyed_map",
    "keyed_past",
    "window_reduce",
    "window_process",
)
_GIVEN = {"flat_buffer": 2, "flat_refill": 3, "keyed_past": 3, "keyed_list_state": 2}
_MOST = 27
_HELD = 3
STATELESS = (*CHAINABLE, "rebalance")


@dataclass
class Op:
    """An operator, and those that take its output and its side output."""

    kind: str
    mark: int
    then: list[Op] = field(default_factory=list)
    side: list[Op] = field(default_factory=list)


@dataclass
class Graph:
    """A graph: the form of its elements, and the operators that take the source's."""

    seed: int
    form: str
    first: list[Op]


def graph(seed: int, kinds: tuple[str, ...] = (*CHAINABLE, *KEYED, "rebalance")) -> Graph:
    """Return the graph of a seed, of which an element gives at most ``_MOST`` on one path."""
    chance = random.Random(seed)
    marks = iter(range(100, 1000))

    def ops(depth: int, most: int) -> list[Op]:
        return [op(depth) for _ in range(chance.choice([1] * 4 + [2]) if most > 1 else 1)]

    def op(depth: int) -> Op:
        made = Op(chance.choice(kinds), next(marks))
        if depth:
            made.then = ops(depth - 1, 2)
        if made.kind.startswith("process"):  # without a consumer of its side output, PyFlink passes the pairs on
            made.side = [Op("map_same", next(marks))]
        return made

    while True:
        made = Graph(seed, chance.choice(FORMS), ops(chance.randint(1, 4), 2))
        if max(map(_growth, made.first)) <= _MOST:
            return made


def _growth(op: Op) -> int:
    """Return roughly how many elements one gives on the path with most."""
    return _GIVEN.get(op.kind, 1) * max(map(_growth, op.then), default=1)


class Thing:
    """An element of a class of the program's."""

    def __init__(self, number: int, items: list[int]) -> None:
        self.number, self.items = number, items


class Elements:
    """Elements of one form, each a number and a list."""

    def __init__(self, form: str, row: Callable[..., Any]) -> None:
        self.form, self._row = form, row

    def new(self, number: int) -> Any:
        match self.form:
            case "dict":
                return {"n": number, "l": []}
            case "tuple":
                return number, []
            case "row":
                return self._row(n=number, l=[])
            case "object":
                return Thing(number, [])
            case _:
                return [number]

    def number(self, element: Any) -> int:
        if self.form == "object":
            return element.number
        return element["n"] if self.form in ("dict", "row") else element[0]

    def items(self, element: Any) -> list[int]:
        match self.form:
            case "dict" | "row":
                return element["l"]
            case "tuple":
                return element[1]
            case "object":
                return element.items
            case _:
                return element

    def change(self, element: Any, mark: int) -> None:
        self.items(element).append(mark)

    def shown(self, element: Any) -> str:
        return f"{self.number(element)}: {' '.join(map(str, self.items(element)))}"


class Held:
    """What a function holds from one element to the next."""

    def __init__(self, elements: Elements) -> None:
        self.past: list[Any] = []
        self.buffer = elements.new(7)

    def hold(self, element: Any) -> None:
        self.past = [*self.past, element][-_HELD:]


def map_same(e: Elements, mark: int, held: Held, value: Any) -> Any:
    e.change(value, mark)
    return value


def map_past(e: Elements, mark: int, held: Held, value: Any) -> Any:
    held.hold(value)
    for earlier in held.past:
        e.change(earlier, mark)
    return held.past[0]


def flat_buffer(e: Elements, mark: int, held: Held, value: Any) -> Iterator[Any]:
    e.change(held.buffer, e.number(value))
    yield held.buffer
    e.change(held.buffer, mark)
    yield held.buffer
    del e.items(held.buffer)[1:]


def flat_refill(e: Elements, mark: int, held: Held, value: Any) -> list[Any]:
    e.change(held.buffer, e.number(value))
    return [held.buffer, value, held.buffer]


def filter_marking(e: Elements, mark: int, held: Held, value: Any) -> bool:
    held.hold(value)
    for earlier in held.past:
        e.change(earlier, mark)
    return e.number(value) != 3


def process_side(e: Elements, mark: int, held: Held, value: Any, tag: Any) -> Iterator[Any]:
    yield tag, value
    e.change(value, mark)
    yield value
    e.change(value, mark + 1000)
    yield tag, value
    e.change(value, mark + 2000)


def keyed_state(e: Elements, mark: int, held: Held, value: Any, state: Any) -> Iterator[Any]:
    content = state.value()
    if content is None:
        content = e.new(9)
    e.change(content, e.number(value))
    state.update(content)
    yield content
    e.change(content, mark)


def keyed_list_state(e: Elements, mark: int, held: Held, value: Any, state: Any) -> Iterator[Any]:
    state.add(value)
    e.change(value, mark)
    yield from list(state.get())[-_HELD:]


def keyed_past(e: Elements, mark: int, held: Held, value: Any) -> Iterator[Any]:
    held.hold(value)
    yield from held.past
    for earlier in held.past:
        e.change(earlier, mark)


def reduced(e: Elements, mark: int, before: Any, value: Any) -> Any:
    e.change(before, e.number(value))
    e.change(value, mark)
    return before


def window_process(e: Elements, mark: int, values: list[Any]) -> Iterator[Any]:
    for value in values:
        e.change(values[0], e.number(value))
        yield values[0]
    e.change(values[0], mark)


BODIES = {body.__name__: body for body in (map_same, map_past, flat_buffer, flat_refill, filter_marking, keyed_past)}


# The reference


class _ValueState:
    def __init__(self) -> None:
        self.content: Any = None

    def value(self) -> Any:
        return self.content

    def update(self, content: Any) -> None:
        self.content = content


class _ListState:
    def __init__(self) -> None:
        self.content: list[Any] = []

    def get(self) -> list[Any]:
        return self.content

    def add(self, value: Any) -> None:
        self.content.append(value)


class ReferenceRow(dict):
    """Stands for a row in the reference."""


def digest(lines: list[str]) -> str:
    """Return a short form of what a graph gives: the number of lines, and a hash."""
    text = "\n".join(sorted(lines))
    return f"{len(lines)} {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def reference(made: Graph) -> list[str]:
    """Return what a graph gives by PyFlink's rules."""
    e = Elements(made.form, ReferenceRow)
    out: list[str] = []
    runs = [_Run(op, e, out, f"{made.seed}/{place}") for place, op in enumerate(made.first)]
    for number in INPUT:
        for run in runs:
            run.take(e.new(number))
    return sorted(out)


class _Run:
    """An operator of the reference."""

    def __init__(self, op: Op, e: Elements, out: list[str], path: str) -> None:
        self.op, self.e, self.out, self.path = op, e, out, path
        self.held = Held(e)
        self.state: dict[int, Any] = {}
        self.then = [_Run(child, e, out, f"{path}{place}") for place, child in enumerate(op.then)]
        self.side = [_Run(child, e, out, f"{path}s{place}") for place, child in enumerate(op.side)]
        # PyFlink chains a function to the only one that takes its output, unless a partitioning is between them.
        consumers = len(op.then) + bool(op.side)
        self.shares = consumers == 1 and not op.side and op.kind != "rebalance" and op.then[0].kind in CHAINABLE

    def take(self, value: Any) -> None:  # noqa: C901 - a case for each kind
        e, mark, kind = self.e, self.op.mark, self.op.kind
        key = e.number(value) % KEYS
        match kind:
            case "rebalance":
                self.emit(value)
            case "map_same" | "map_past":
                self.emit(BODIES[kind](e, mark, self.held, value))
            case "keyed_map":
                self.emit(map_same(e, mark, self.held, value))
            case "flat_buffer" | "flat_refill" | "keyed_past":
                for result in BODIES[kind](e, mark, self.held, value):
                    self.emit(result)
            case "filter_marking":
                if filter_marking(e, mark, self.held, value):
                    self.emit(value)
            case "process_side" | "process_output":
                for result in process_side(e, mark, self.held, value, "tag"):
                    if type(result) is tuple and result[0] == "tag":
                        for run in self.side:
                            run.take(copy.deepcopy(result[1]))
                    else:
                        self.emit(result)
            case "keyed_state":
                for result in keyed_state(e, mark, self.held, value, self.state.setdefault(key, _ValueState())):
                    self.emit(result)
            case "keyed_list_state":
                for result in keyed_list_state(e, mark, self.held, value, self.state.setdefault(key, _ListState())):
                    self.emit(result)
            case "keyed_reduce":
                before = self.state.get(key)
                self.state[key] = value if before is None else reduced(e, mark, before, value)
                self.emit(self.state[key])
            case "window_reduce":
                count, before = self.state.pop(key, (0, None))
                after = value if before is None else reduced(e, mark, before, value)
                if count:
                    self.emit(after)
                else:
                    self.state[key] = (1, after)
            case "window_process":
                values = self.state.setdefault(key, [])
                values.append(value)
                if len(values) == 2:
                    for result in window_process(e, mark, self.state.pop(key)):
                        self.emit(result)

    def emit(self, value: Any) -> None:
        if not self.op.then:
            self.out.append(f"{self.path} {self.e.shown(value)}")
        elif self.shares:
            self.then[0].take(value)
        else:
            for run in self.then:
                run.take(copy.deepcopy(value))


# Streams of either engine


class Engine:
    """The classes of one engine: ``pyflink`` or ``kafkastream``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.common, self.datastream = import_module(f"{name}.common"), import_module(f"{name}.datastream")
        self.state, self.window = import_module(f"{name}.datastream.state"), import_module(f"{name}.datastream.window")
        self.types = self.common.Types

    def __reduce__(self) -> Any:
        return Engine, (self.name,)

    def type_of(self, form: str) -> Any:
        numbers = self.types.LIST(self.types.INT())
        match form:
            case "typed list":
                return numbers
            case "row":
                return self.types.ROW_NAMED(["n", "l"], [self.types.INT(), numbers])
            case _:
                return self.types.PICKLED_BYTE_ARRAY()


def build(engine: Engine, numbers: Any, made: Graph) -> list[Any]:
    """Return the streams of text that a graph makes of a stream of numbers."""
    e = Elements(made.form, engine.common.Row)
    built = _Builder(engine, e, made.form)
    elements = numbers.map(lambda number: e.new(int(number)), built.type).rebalance()
    return [
        stream for place, op in enumerate(made.first) for stream in built.ends(elements, op, f"{made.seed}/{place}")
    ]


class _Builder:
    def __init__(self, engine: Engine, e: Elements, form: str) -> None:
        self.engine, self.e, self.form, self.type = engine, e, form, engine.type_of(form)

    def ends(self, stream: Any, op: Op, path: str) -> list[Any]:
        e = self.e
        out = self.applied(stream, op)
        found = []
        if op.side:
            tag = _tag(self.engine, op, self.form)
            for place, child in enumerate(op.side):
                found += self.ends(out.get_side_output(tag), child, f"{path}s{place}")
        for place, child in enumerate(op.then):
            found += self.ends(out, child, f"{path}{place}")
        if not op.then:
            found.append(out.map(lambda value: f"{path} {e.shown(value)}", self.engine.types.STRING()))
        return found

    def applied(self, stream: Any, op: Op) -> Any:
        kind = op.kind
        if kind == "rebalance":
            return stream.rebalance()
        functions = _functions(self.engine, self.e, op, self.form)
        if kind in CHAINABLE:
            function = functions()
            if kind.startswith("map"):
                return stream.map(function, self.type)
            if kind.startswith("flat"):
                return stream.flat_map(function, self.type)
            return stream.filter(function) if kind.startswith("filter") else stream.process(function, self.type)
        e = self.e
        keyed = stream.key_by(lambda value: e.number(value) % KEYS, self.engine.types.INT())
        if kind == "keyed_map":
            return keyed.map(functions(), self.type)
        if kind == "keyed_reduce":
            return keyed.reduce(functions())
        if kind.startswith("window"):
            windows = keyed.window(self.engine.window.CountTumblingWindowAssigner.of(2))
            return windows.reduce(functions()) if kind == "window_reduce" else windows.process(functions(), self.type)
        return keyed.process(functions(), self.type)


def _tag(engine: Engine, op: Op, form: str) -> Any:
    return engine.datastream.OutputTag(f"side-{op.mark}", engine.type_of(form))


def _functions(engine: Engine, e: Elements, op: Op, form: str) -> Callable[[], Any]:  # noqa: C901 - a class for each kind
    ds, mark, name = engine.datastream, op.mark, op.kind

    class Map(ds.MapFunction):
        def open(self, context):
            self.held = Held(e)

        def map(self, value):
            return (map_same if name == "keyed_map" else BODIES[name])(e, mark, self.held, value)

    class FlatMap(ds.FlatMapFunction):
        def open(self, context):
            self.held = Held(e)

        def flat_map(self, value):
            return BODIES[name](e, mark, self.held, value)

    class Filter(ds.FilterFunction):
        def open(self, context):
            self.held = Held(e)

        def filter(self, value):
            return filter_marking(e, mark, self.held, value)

    class Process(ds.ProcessFunction):
        def process_element(self, value, ctx):
            tag = _tag(engine, op, form)
            if name == "process_side" or not hasattr(ctx, "output"):
                yield from process_side(e, mark, None, value, tag)
                return
            for result in process_side(e, mark, None, value, tag):
                if type(result) is tuple and result[0] is tag:
                    ctx.output(*result)
                else:
                    yield result

    class Keyed(ds.KeyedProcessFunction):
        def open(self, context):
            self.held = Held(e)
            kind = engine.type_of(form)
            self.value = context.get_state(engine.state.ValueStateDescriptor("value", kind))
            self.values = context.get_list_state(engine.state.ListStateDescriptor("values", kind))

        def process_element(self, value, ctx):
            if name == "keyed_past":
                return keyed_past(e, mark, self.held, value)
            if name == "keyed_state":
                return keyed_state(e, mark, self.held, value, self.value)
            return keyed_list_state(e, mark, self.held, value, self.values)

    class Reduce(ds.ReduceFunction):
        def reduce(self, value1, value2):
            return reduced(e, mark, value1, value2)

    class Window(ds.ProcessWindowFunction):
        def process(self, key, context, elements):
            return window_process(e, mark, list(elements))

        def clear(self, context):
            pass

    kinds = {"map": Map, "flat": FlatMap, "filter": Filter, "process": Process, "keyed": Keyed}
    special = {"keyed_map": Map, "keyed_reduce": Reduce, "window_reduce": Reduce, "window_process": Window}
    return special.get(name) or kinds[name.partition("_")[0]]
