"""Description of an operation and of all computations below it, on which its state depends.

A checkpoint stores this text, and a changed query is compared with it. So a change of the text would refuse every
query that has state: ``tests/unit/sql/query/test_state_descriptions.py`` holds it fast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, final

import attrs

from kafkastream.sql.plan.column_pruning import needed_before
from kafkastream.sql.plan.expression import TypedExpression, columns_in, renumbered
from kafkastream.sql.plan.match_operation import (
    MatchAggregate,
    MatchTime,
    Navigation,
    PatternVariable,
    Reading,
    ThisRow,
)
from kafkastream.sql.plan.operations import (
    AggregateCall,
    CountWindowAggregate,
    Deduplicate,
    GroupAggregate,
    IntervalJoin,
    Join,
    LookupJoin,
    Matches,
    MatchRecognize,
    Materialize,
    Normalize,
    Operation,
    Order,
    OverAggregate,
    Pairs,
    PartitionCommit,
    SessionAggregate,
    SessionRows,
    Sort,
    TemporalJoin,
    TopN,
    WindowAggregate,
)
from kafkastream.sql.plan.relations import Explode, Project, Relation, Scan, Stateful, Union, Values
from kafkastream.sql.plan.spark_text import KEPT, SparkPrinter
from kafkastream.sql.plan.user_aggregate import UserAggregate
from kafkastream.sql.table import ComputedColumn
from kafkastream.sql.types import DataType

__all__ = ["describe_same_state", "state_description"]


def state_description(stateful: Stateful, reads: Callable[[Scan], str]) -> str:
    """Describe an operation and everything below it, one line each, inputs indented below their consumer.

    Unused columns are left out, and the others are renumbered: a column that is added to a table only changes the state
    of operations that read it.

    Args:
        stateful: Operation.
        reads: Returns a description of what a table reads, instead of its name, which may change.
    """
    return "\n".join(_described(stateful, _all(stateful), reads).lines)


def describe_same_state(recorded: str, now: str) -> bool:
    """Return whether the description of state in a checkpoint means the same as the program's.

    Earlier versions wrote the names that user-defined functions have in Spark, as ``__function_7_f(__kept, c0)``, with a
    number that depends on the functions which were created before.

    Args:
        recorded: Description in the checkpoint.
        now: Description of the program.

    Example:
        >>> describe_same_state("Project (__function_7_f(__kept, c0))", "Project (db.f(c0))")
        True
    """
    if recorded == now or f"({KEPT}" not in recorded:
        return recorded == now
    return _without_numbers(recorded) == _without_numbers(now)


def _without_numbers(description: str) -> str:
    """Calls by the last part of the function's name, without characters that Spark's name of it cannot have."""
    without = re.sub(rf"__(?:function|varying)_\d+_(\w+)\({KEPT}(?:, )?", r"\1(", description)
    return re.sub(
        r"[^\s(),]+(?=\()", lambda name: re.sub(r"\W", "_", name[0].rpartition(".")[2], flags=re.ASCII), without
    )


@final
@attrs.frozen
class _Described:
    """Description of a relation and those below it.

    Args:
        lines: One line for each relation.
        places: New positions of the relation's columns in its line.
    """

    lines: tuple[str, ...]
    places: Mapping[int, int]


def _described(relation: Relation, needed: frozenset[int], reads: Callable[[Scan], str]) -> _Described:
    match relation:
        case Scan():
            needed |= frozenset() if relation.watermark is None else {relation.watermark[0]}
            places = _dense(needed)
            return _Described((f"Scan {reads(relation)} {_scan(relation, places)}",), places)
        case Values():
            return _over(
                (), f"Values {_tuple(_tuple(map(_PRINTER.text, row)) for row in relation.rows)}", _dense(_all(relation))
            )
        case Project():
            one = _described(relation.input, needed_before(relation, needed), reads)
            expressions = _tuple(
                _PRINTER.text(renumbered(relation.expressions[place], one.places)) for place in sorted(needed)
            )
            where = "" if relation.condition is None else f" WHERE {_text(relation.condition, one.places)}"
            return _over((one,), f"Project {expressions}{where}", _dense(needed))
        case Explode():
            one = _described(relation.input, needed_before(relation, needed), reads)
            own = range(len(relation.input.fields), len(relation.fields))
            places = {**one.places, **{place: len(one.places) + at for at, place in enumerate(own)}}
            outer = " OUTER" if relation.outer else ""
            return _over((one,), f"Explode {_text(relation.array, one.places)}{outer}", places)
        case Union():
            return _over(_inputs(relation, reads), "Union", _dense(_all(relation)))
        case Stateful():
            keys = " ".join(_columns(places) for places in relation.keys)
            line = f"{_operation(relation.operation)} BY {keys} OF {_tuple(_types(relation.inputs))}"
            return _over(_inputs(relation, reads), line, _dense(_all(relation)))


_PRINTER: Final = SparkPrinter(kept="")
"""Shows the names by which users call their functions: those in Spark depend on earlier calls in the session."""
_WITHOUT_WORDS: Final = attrs.evolve(_PRINTER, shows_failures=False)


def _text(expression: TypedExpression, places: Mapping[int, int]) -> str:
    """Return the Spark SQL without texts of failures, which may change between versions."""
    return _WITHOUT_WORDS.text(renumbered(expression, places))


def _inputs(relation: Union | Stateful, reads: Callable[[Scan], str]) -> Sequence[_Described]:
    """Describe all columns of all inputs: unions and stateful operations use the whole row."""
    return [_described(one, _all(one), reads) for one in relation.inputs]


def _over(inputs: Sequence[_Described], line: str, places: Mapping[int, int]) -> _Described:
    return _Described((line, *(f"  {below}" for one in inputs for below in one.lines)), places)


def _all(relation: Relation) -> frozenset[int]:
    return frozenset(range(len(relation.fields)))


def _dense(needed: Iterable[int]) -> Mapping[int, int]:
    return {place: at for at, place in enumerate(sorted(needed))}


def _scan(scan: Scan, places: Mapping[int, int]) -> str:
    columns = _tuple(f"{scan.fields[place].name} {scan.fields[place].type}" for place in places)
    watermark = "" if scan.watermark is None else f" WATERMARK c{places[scan.watermark[0]]} - {scan.watermark[1]} ms"
    return f"{columns}{_computed(scan, places)}{watermark}"


def _computed(scan: Scan, places: Iterable[int]) -> str:
    """Describe the expressions of computed columns, and the columns that they read."""
    if not scan.expressions:
        return ""
    expressions = [scan.expressions[place] for place in places]
    given = [one for one in scan.table.schema.columns if not isinstance(one, ComputedColumn)]
    read = _dense(frozenset().union(*map(columns_in, expressions)))
    inputs = _tuple(f"{given[place].name} {given[place].type}" for place in read)
    return f" AS {_tuple(_PRINTER.text(renumbered(one, read)) for one in expressions)} OF {inputs}"


def _operation(operation: Operation) -> str:
    match operation:
        case GroupAggregate() | WindowAggregate() | SessionAggregate() | CountWindowAggregate() | SessionRows():
            return _aggregate(operation)
        case Deduplicate():
            return f"Deduplicate {operation.keep.value} {operation.time.value} {_column(operation.column)}"
        case TopN() | Sort() | OverAggregate():
            return _ordered(operation)
        case Join() | IntervalJoin() | TemporalJoin() | LookupJoin() | Pairs() | Matches():
            return _join(operation)
        case MatchRecognize():
            return _match(operation)
        case Normalize():
            return "Normalize"
        case Materialize():
            return "Materialize"
        case PartitionCommit():
            return f"PartitionCommit {_commit_time(operation)}"


def _commit_time(operation: PartitionCommit) -> str:
    """Describe the moment at which partitions are committed, which their timers have."""
    time, delay = operation.time, f"DELAY {operation.delay_ms} ms"
    if time is None:
        return f"process-time {delay}"
    return f"partition-time {_tuple(time.read)} {time.pattern} {time.formatter} {time.zone} {delay}"


def _aggregate(
    operation: GroupAggregate | WindowAggregate | SessionAggregate | CountWindowAggregate | SessionRows,
) -> str:
    match operation:
        case GroupAggregate():
            return f"GroupAggregate {_calls(operation.calls)}"
        case WindowAggregate():
            return f"WindowAggregate {_calls(operation.calls)} {operation.time.value} {operation.zone}"
        case SessionAggregate():
            return f"SessionAggregate {_calls(operation.calls)} GAP {operation.gap_ms} ms {operation.time.value} {operation.zone}"
        case CountWindowAggregate():
            return f"CountWindowAggregate {_calls(operation.calls)} {operation.size} ROWS EVERY {operation.slide}"
        case SessionRows():
            return f"SessionRows c{operation.column} GAP {operation.gap_ms} ms {operation.time.value} {operation.zone}"


def _join(operation: Join | IntervalJoin | TemporalJoin | LookupJoin | Pairs | Matches) -> str:
    match operation:
        case Join():
            windows = "" if operation.window_end is None else f" WINDOW {_columns(operation.window_end)}"
            return f"{operation.kind.value} Join{windows}{_null_safe(operation)}"
        case IntervalJoin():
            bounds = f"{operation.lower_ms} TO {operation.upper_ms} ms {operation.time.value}"
            return f"{operation.kind.value} IntervalJoin {_columns(operation.times)} {bounds}{_null_safe(operation)}"
        case LookupJoin():
            return f"{operation.kind.value} LookupJoin"
        case Pairs():
            return f"Pairs of {_join(operation.join)}"
        case Matches():
            return f"{operation.kind.value} Matches{' FINAL' if operation.is_final else ''}"
        case TemporalJoin():
            return f"{operation.kind.value} TemporalJoin {operation.time.value} {_tuple(map(_column, operation.times))}"


def _null_safe(join: Join | IntervalJoin) -> str:
    return f" NULL EQUAL IN {_tuple(map(str, join.null_safe))}" if join.null_safe else ""


def _ordered(operation: TopN | Sort | OverAggregate) -> str:
    match operation:
        case TopN():
            rank = f"{operation.first} TO {operation.last}{' NUMBERED' if operation.with_number else ''}"
            return f"TopN {_order(operation.order)} {rank} WINDOW {_column(operation.window)}"
        case Sort():
            skipped = f" FROM {operation.skipped + 1}" if operation.skipped else ""
            return f"Sort {_order(operation.order)} {operation.moment.value} {_column(operation.column)}{skipped}"
        case OverAggregate():
            time = operation.time
    order = _order(operation.order) if time is None else f"{time.value} {_column(operation.column)}"
    frame = "ALL" if operation.preceding is None else str(operation.preceding)
    return f"OverAggregate {_calls(operation.calls)} {order} {'ROWS' if operation.is_rows else 'RANGE'} {frame}"


def _match(operation: MatchRecognize) -> str:
    skip = operation.skip.value
    if operation.skip_variable is not None:
        skip = f"{skip} {operation.variables[operation.skip_variable].name}"
    within = f" WITHIN {operation.within_ms} ms" if operation.within_ms else ""
    order = f"{operation.time.value} {_column(operation.column)} {_order(operation.order)}"
    measures = _tuple(map(_reading, operation.measures))
    return f"Match {_tuple(map(_variable, operation.variables))}{within} SKIP {skip} {order} MEASURES {measures}"


def _variable(variable: PatternVariable) -> str:
    most = "" if variable.most is None else variable.most
    bounds = f"{variable.name}{{{variable.least},{most}}}{'' if variable.is_greedy else '?'}"
    if variable.condition is None:
        return bounds
    return (
        f"{bounds} AS {_PRINTER.text(variable.condition.value)} OF {_tuple(map(_reading, variable.condition.readings))}"
    )


def _reading(reading: Reading) -> str:
    match reading:
        case ThisRow(column=column):
            return f"c{column}"
        case Navigation():
            side = "FIRST" if reading.is_first else "LAST"
            return f"{side}({_of_variable(reading.variable)}.c{reading.column}, {reading.offset})"
        case MatchAggregate():
            return f"{_of_variable(reading.variable)}.{_call(reading.call)}"
        case MatchTime():
            return "MATCH_ROWTIME"


def _of_variable(number: int | None) -> str:
    return "*" if number is None else str(number)


def _order(orders: Sequence[Order]) -> str:
    return _tuple(
        f"c{one.column} {'DESC' if one.descending else 'ASC'} NULLS {'LAST' if one.nulls_last else 'FIRST'}"
        for one in orders
    )


def _calls(calls: Sequence[AggregateCall]) -> str:
    return _tuple(map(_call, calls))


def _call(call: AggregateCall) -> str:
    distinct = "DISTINCT " if call.distinct else ""
    separator = "" if call.separator == "," else f" SEPARATOR {call.separator!r}"
    percentages = f" AT {_tuple(map(str, call.percentages))}" if call.percentages else ""
    offset = "" if call.offset == 1 else f" OFFSET {call.offset}"
    where = "" if call.filter is None else f" FILTER c{call.filter}"
    if call.user is not None:
        return _user_call(call.user, call.type, distinct, where)
    argument = "*" if call.argument is None else f"c{call.argument}"
    return f"{call.function.value}({distinct}{argument}{separator}{percentages}{offset}){where} {call.type}"


def _user_call(user: UserAggregate, type_: DataType, distinct: str = "", where: str = "") -> str:
    accumulator = f" ACCUMULATOR {user.function.accumulator_type}" if user.function.accumulator_type else ""
    arguments = ", ".join(f"c{place}" for place in user.arguments)
    return f"{user.name}({distinct}{arguments}){where} {type_}{accumulator}"


def _types(inputs: Sequence[Relation]) -> Iterator[str]:
    return (_tuple(str(field.type) for field in one.fields) for one in inputs)


def _columns(places: Sequence[int]) -> str:
    return _tuple(f"c{place}" for place in places)


def _column(place: int | None) -> str:
    return "-" if place is None else f"c{place}"


def _tuple(texts: Iterable[str]) -> str:
    return f"({', '.join(texts)})"
