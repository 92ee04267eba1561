"""Window functions in FROM: TUMBLE, HOP, CUMULATE and SESSION."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import attrs
from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.expressions.intervals import interval_ms
from kafkastream.sql.plan.operations import TimeAttribute
from kafkastream.sql.plan.plan_builder import Rows, Window, projected, without_times
from kafkastream.sql.plan.relations import Explode, Field, Relation, column
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import Planner

__all__ = ["session_rows", "sliced", "tumbled", "windowed"]

_PARAMETERS: Final = {
    "TUMBLE": ("DATA", "TIMECOL", "SIZE", "OFFSET"),
    "HOP": ("DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    "CUMULATE": ("DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"),
    "SESSION": ("DATA", "TIMECOL", "GAP"),
}
_STAMP = DataType.of(Kind.TIMESTAMP, 3).not_null()
_MILLI = "INTERVAL '0 00:00:00.001' DAY TO SECOND"
_EPOCH = "timestamp_ntz'1970-01-01 00:00:00'"
_NAMES = ("window_start", "window_end", "window_time")


def windowed(planner: Planner, call: exp.Anonymous) -> Rows:
    """The rows of a table, each with its windows."""
    name = call.name.upper()
    given = _arguments(planner, call, name)
    data = given["DATA"]
    if not isinstance(data, exp.Table | exp.Subquery):
        raise planner.text.error(data, f"{name} takes a table first.", f"Write {name}(TABLE t, DESCRIPTOR(ts), ...).")
    from kafkastream.sql.planner.from_clause import source

    rows, scope = source(planner, data)
    if data.args.get("partition") and name != "SESSION":
        what = f"PARTITION BY is for SESSION; {name} takes none."
        raise planner.text.error(data.args["partition"], what, "Put the columns into GROUP BY.")
    at = time_column(planner, scope, given["TIMECOL"], name)
    if rows.relation.changelog is not ChangelogMode.APPEND:
        what = f"{name} doesn't support consuming update and delete changes."
        raise planner.text.refused(data, what, "Aggregate with a plain GROUP BY, or read an append-only table.")
    sizes = {
        key: _positive(planner, value, key) for key, value in given.items() if key in ("SIZE", "SLIDE", "STEP", "GAP")
    }
    offset = interval_ms(planner.text, given["OFFSET"]) if "OFFSET" in given else 0
    if name == "TUMBLE":
        return tumbled(planner, rows.relation, at, sizes["SIZE"], offset)
    if name == "SESSION":
        keys = data.args["partition"].expressions if data.args.get("partition") else ()
        partition = tuple(scope.resolve(planner.text, key).place for key in keys)
        sessions = session_rows(planner, rows.relation, at, sizes["GAP"])
        assert sessions.window is not None
        return attrs.evolve(sessions, window=attrs.evolve(sessions.window, partition=partition))
    step = sizes.get("SLIDE", sizes.get("STEP", 0))
    if sizes["SIZE"] % step:
        article = "slide" if name == "HOP" else "step"
        what = f"{name} table function based aggregate requires size must be an integral multiple of {article}"
        raise planner.text.error(given["SIZE"], what, f"Take a size that is a multiple of the {article}.")
    return sliced(planner, rows.relation, at, step, sizes["SIZE"], offset, cumulates=name == "CUMULATE")


def _arguments(planner: Planner, call: exp.Anonymous, name: str) -> dict[str, exp.Expr]:
    text, parameters = planner.text, _PARAMETERS[name]
    given: dict[str, exp.Expr] = {}
    for at, argument in enumerate(call.expressions):
        is_named = isinstance(argument, exp.Kwarg)
        key = argument.this.name.upper() if is_named else parameters[at] if at < len(parameters) else ""
        if key not in parameters or key in given:
            what = f"{name} has no argument {argument.this.name if is_named else at + 1}."
            raise text.error(argument, what, f"It takes {', '.join(parameters)}.")
        given[key] = argument.expression if is_named else argument
    for key in parameters:
        if key not in given and key != "OFFSET":
            raise text.error(call, f"{name} lacks its argument {key}.", f"It takes {', '.join(parameters)}.")
    return given


def time_column(planner: Planner, scope: Scope, descriptor: exp.Expr, name: str) -> int:
    """The time attribute that DESCRIPTOR names."""
    named = descriptor.expressions if isinstance(descriptor, exp.Anonymous) and descriptor.name == "DESCRIPTOR" else ()
    if len(named) != 1:
        raise planner.text.error(descriptor, f"{name} takes DESCRIPTOR(column) here.", "Name the time column in it.")
    return checked_time(planner, scope, named[0], name)


def checked_time(planner: Planner, scope: Scope, node: exp.Expr, name: str) -> int:
    """The place of a column that must be a time attribute."""
    found = scope.resolve(planner.text, node)
    if found.path or scope.fields[found.place].time is None:
        what = f"The window function {name} requires the timecol is a time attribute type, but is {found.type}."
        now = "Declare WATERMARK FOR it on the table, or take a column AS PROCTIME()."
        raise planner.text.error(node, what, now)
    return found.place


def _positive(planner: Planner, node: exp.Expr, key: str) -> int:
    ms = interval_ms(planner.text, node)
    if ms <= 0:
        raise planner.text.error(node, f"{key} must be longer than nothing.", "")
    return ms


def _window(planner: Planner, field: Field, start: int) -> Window:
    is_local = field.type.kind is Kind.TIMESTAMP_LTZ
    return Window(
        start=start,
        end=start + 1,
        time=start + 2,
        attribute=field.time or TimeAttribute.EVENT,
        zone=planner.zone if is_local else "UTC",
        is_local=is_local,
    )


def _begin(field: Field, at: int, size: int, offset: int) -> str:
    """The beginning of the window that a time is in: the wall-clock time, rounded down also before 1970."""
    clock = _clock(field, at)
    since = f"timestampdiff(MICROSECOND, {_EPOCH}, {clock})"
    return f"{clock} - INTERVAL '0 00:00:00.000001' DAY TO SECOND * pmod({since} - {offset * 1000}L, {size * 1000}L)"


def _clock(field: Field, at: int) -> str:
    return f"cast({column(at)} as timestamp_ntz)" if field.type.kind is Kind.TIMESTAMP_LTZ else column(at)


def _known(field: Field, at: int, value: str) -> str:
    """A value that fails the query where the time is NULL, as Flink's window functions do."""
    if not field.type.is_nullable:
        return value
    words = f"RowTime field should not be null: WHERE {field.name} IS NOT NULL leaves such rows out."
    return f"if({column(at)} is null, raise_error({quoted_text(words)}), {value})"


def _last(field: Field, end: str) -> str:
    last = f"{end} - {_MILLI}"
    return f"cast({last} as timestamp)" if field.type.kind is Kind.TIMESTAMP_LTZ else last


def _millis(ms: int) -> str:
    days, rest = divmod(ms, 86_400_000)
    return f"INTERVAL '{days} {rest // 3_600_000:02}:{rest // 60_000 % 60:02}:{rest // 1000 % 60:02}.{rest % 1000:03}' DAY TO SECOND"


def _fields(field: Field) -> tuple[Field, ...]:
    last = DataType.of(Kind.TIMESTAMP_LTZ if field.type.kind is Kind.TIMESTAMP_LTZ else Kind.TIMESTAMP, 3).not_null()
    return Field(_NAMES[0], _STAMP), Field(_NAMES[1], _STAMP), Field(_NAMES[2], last, field.time)


def tumbled(planner: Planner, relation: Relation, at: int, size: int, offset: int) -> Rows:
    """Each row with its one window."""
    field = relation.fields[at]
    begin = f"({_begin(field, at, size, offset)})"
    end = f"({begin} + {_millis(size)})"
    return _computed(planner, relation, at, (begin, end, f"({_last(field, end)})"))


def session_rows(planner: Planner, relation: Relation, at: int, gap: int) -> Rows:
    """Each row with columns for the bounds of its session, which only an aggregate fills."""
    local = relation.fields[at].type.kind is Kind.TIMESTAMP_LTZ
    nothing = [
        f"cast(null as {kind})"
        for kind in ("timestamp_ntz", "timestamp_ntz", "timestamp" if local else "timestamp_ntz")
    ]
    rows = _computed(planner, relation, at, nothing)
    assert rows.window is not None
    return attrs.evolve(rows, window=attrs.evolve(rows.window, gap_ms=gap, column=at))


def _computed(planner: Planner, relation: Relation, at: int, bounds: Sequence[str]) -> Rows:
    field, width = relation.fields[at], len(relation.fields)
    added = _fields(field)
    every = [column(one) for one in range(width)]
    names = [one.name for one in (*relation.fields, *added)]
    types = [one.type for one in (*relation.fields, *added)]
    project = projected(relation, [*every, *bounds], names, types, _known(field, at, "true"))
    fields = (*without_times(project.fields[:width], at), *added)
    return Rows(attrs.evolve(project, fields=fields), _window(planner, field, width))


def sliced(
    planner: Planner, relation: Relation, at: int, step: int, size: int, offset: int, *, cumulates: bool = False
) -> Rows:
    """Each row once for every window that it is in: those of HOP begin, those of CUMULATE end a step apart."""
    field, width = relation.fields[at], len(relation.fields)
    clock = _clock(field, at)
    if cumulates:
        first = f"({_begin(field, at, size, offset)})"
        starts = f"transform(sequence(1, {size // step}), k -> named_struct('s', {first}, 'e', {first} + {_millis(step)} * k))"
    else:
        first = f"({_begin(field, at, step, offset)})"
        begin = f"{first} - {_millis(step)} * k"
        starts = f"transform(sequence(0, {-(-size // step) - 1}), k -> named_struct('s', {begin}, 'e', {begin} + {_millis(size)}))"
    around = f"filter({starts}, w -> w.e > {clock})"
    ends = ", ".join(
        f"'{name}', {value}" for name, value in zip(_NAMES, ("w.s", "w.e", _last(field, "w.e")), strict=True)
    )
    array = _known(field, at, f"transform({around}, w -> named_struct({ends}))")
    fields = (*without_times(relation.fields, at), *_fields(field))
    exploded = Explode(input=relation, array=array, fields=fields, changelog=relation.changelog)
    return Rows(exploded, _window(planner, field, width))
