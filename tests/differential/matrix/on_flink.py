"""Writes what real Flink gives for all cells: run it with a Python that has apache-flink, from the top of the repository.

    python -m tests.differential.matrix.on_flink [--new] [FAMILY …]

With ``--new``, expressions that are recorded with as many values stay as they are. Functions are asked in batch mode,
aggregates in streaming mode, for the last row of each group.

For each expression ``golden.json`` has the type of its result and a text for each row, or why Flink refuses it. A row for
which the job fails has ``false``. Where CAST fails is told by TRY_CAST, whose code in Flink is that of CAST with a catch
around it; one such row of each expression is tried.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.differential.matrix.cells import FAMILIES
from tests.differential.matrix.family import NO_ROW, ZONE, Family
from tests.differential.matrix.shown import shown_map, shown_plain, shown_row, shown_time

GOLDEN = Path(__file__).with_name("golden.json")
AT_ONCE = 40


class Flink:
    """Asks Flink: about functions in batch mode, about aggregates in streaming mode."""

    def __init__(self, *, streams: bool) -> None:
        table = importlib.import_module("pyflink.table")
        self._folder = tempfile.TemporaryDirectory()
        modes = table.EnvironmentSettings
        env = table.TableEnvironment.create(modes.in_streaming_mode() if streams else modes.in_batch_mode())
        env.get_config().set("table.local-time-zone", ZONE)
        env.get_config().set("parallelism.default", "1")
        self._env = env
        self.jobs = 0

    def create(self, family: Family) -> None:
        """The table of a family."""
        folder = Path(self._folder.name) / family.name
        folder.mkdir()
        names = [name for name, _ in family.columns]
        lines = [json.dumps({"nth": at, **dict(zip(names, row, strict=True))}) for at, row in enumerate(family.rows)]
        (folder / "rows").write_text("\n".join(lines) + "\n")
        self._env.execute_sql(
            f"CREATE TEMPORARY TABLE `{family.name}` (nth INT, {family.declared}) WITH ('connector' = 'filesystem', "
            f"'path' = '{folder}', 'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601')"
        )

    def type_of(self, family: Family, expression: str) -> dict[str, Any]:
        """The type of an expression, or why it is refused."""
        try:
            text = family.query(expression) if family.by else f"SELECT {expression} FROM `{family.name}` AS t"
            query = self._env._j_tenv.sqlQuery(text)
            columns = query.getResolvedSchema().getColumns()
        except Exception as error:  # noqa: BLE001 - whatever it is, Flink refuses
            return {"refused": _reason(error)}
        type_ = columns[len(columns) - 1].getDataType().getLogicalType()
        try:
            return {"type": type_.asSerializableString()}
        except Exception:  # noqa: BLE001 - a type without a text that can be parsed
            return {"type": type_.asSummaryString()}

    def values(self, family: Family, expressions: Sequence[str], where: str = "") -> list[list[Any]] | None:
        """The values of each expression in each row; None if the job fails."""
        columns = ", ".join(f"{one} AS e{at}" for at, one in enumerate(expressions))
        query = f"SELECT nth, {columns} FROM `{family.name}` AS t {where}"
        rows = self._rows(query)
        if rows is None:
            return None
        ordered = [row[1:] for _, *row in sorted(rows, key=lambda row: row[1])]
        return [list(column) for column in zip(*ordered, strict=True)]

    def aggregates(
        self, family: Family, expressions: Sequence[str], group: str | None = None
    ) -> list[list[Any]] | None:
        """The last values of each aggregate in each group, or in one; None if the job fails."""
        selected = [f"{one} AS e{at}" for at, one in enumerate(expressions)]
        rows = self._rows(family.query(*selected, group=group))
        if rows is None:
            return None
        left: dict[Any, list[Any]] = {}
        for kind, name, *values in rows:
            if kind in ("+I", "+U"):
                left[name] = values
            else:
                del left[name]
        groups = family.groups if group is None else (group,)
        return [[left[one][at] if one in left else NO_ROW for one in groups] for at in range(len(expressions))]

    def _rows(self, query: str) -> list[list[Any]] | None:
        """The rows of a query, each with its kind and the first column as it is, then texts; None if the job fails."""
        self.jobs += 1
        try:
            found = self._env._j_tenv.executeSql(query).collect()
            rows = []
            while found.hasNext():
                row = found.next()
                first, *others = [row.getField(at) for at in range(row.getArity())]
                rows.append([row.getKind().shortString(), first, *map(_shown, others)])
        except Exception as error:  # noqa: BLE001 - whatever it is, the job fails
            print("  fails:", _reason(error)[:150], flush=True)
            return None
        return rows


def asked(flink: Flink, family: Family, recorded: Mapping[str, Any]) -> dict[str, Any]:
    """What Flink gives for a family, beside what is recorded."""
    flink.create(family)
    found = {one: recorded.get(one) or flink.type_of(family, one) for one in family.expressions}
    known = [one for one in family.expressions if "type" in found[one] and "values" not in found[one]]
    tries = [one for one in known if not one.startswith("CAST(")]
    if family.by:
        for one, values in _of_groups(flink, family, known):
            found[one]["values"] = values
        return found
    for one, values in _in_parts(flink, family, tries, {}):
        found[one]["values"] = values
    casts = [one for one in known if one.startswith("CAST(")]
    guesses = {one: _guessed(flink, family, one) for one in casts} if len(family.rows) > 1 else {}
    for one, values in _in_parts(flink, family, casts, guesses):
        found[one]["values"] = values
    return found


def _of_groups(flink: Flink, family: Family, wanted: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
    """The values of aggregates; where a job fails, those of its halves, and at last of each group."""
    for at in range(0, len(wanted), AT_ONCE):
        part = wanted[at : at + AT_ONCE]
        values = flink.aggregates(family, part)
        if values is not None:
            yield from zip(part, values, strict=True)
        elif len(part) > 1:
            half = len(part) // 2
            yield from _of_groups(flink, family, part[:half])
            yield from _of_groups(flink, family, part[half:])
        elif flink.aggregates(family, part, "no group") is None:
            yield part[0], [False] * family.results
        else:
            alone = [flink.aggregates(family, part, group) for group in family.groups]
            yield part[0], [False if found is None else found[0][0] for found in alone]


def _guessed(flink: Flink, family: Family, cast: str) -> list[int]:
    """The rows in which a CAST fails, as TRY_CAST tells them."""
    if f"TRY_{cast}" not in _TRIED.setdefault(family.name, {}):
        wanted = [f"TRY_{one}" for one in family.expressions if one.startswith("CAST(")]
        wanted = [one for one in wanted if "type" in flink.type_of(family, one)]
        sources = {one: one[len("TRY_CAST(") :].rpartition(" AS ")[0] for one in wanted}
        for at in range(0, len(wanted), AT_ONCE):
            part = wanted[at : at + AT_ONCE]
            checks = [f"{one} IS NULL AND ({sources[one]}) IS NOT NULL" for one in part]
            values = flink.values(family, checks) or [(flink.values(family, [check]) or [[]])[0] for check in checks]
            for place, one in enumerate(part):
                shown = values[place]
                _TRIED[family.name][one] = [row for row, value in enumerate(shown) if value == "TRUE"]
    return _TRIED[family.name].get(f"TRY_{cast}", [])


_TRIED: dict[str, dict[str, list[int]]] = {}


def _in_parts(
    flink: Flink, family: Family, wanted: Sequence[str], guesses: dict[str, list[int]]
) -> Iterator[tuple[str, list[Any]]]:
    for at in range(0, len(wanted), AT_ONCE):
        yield from _bisected(flink, family, wanted[at : at + AT_ONCE], guesses)


def _bisected(
    flink: Flink, family: Family, wanted: Sequence[str], guesses: dict[str, list[int]]
) -> Iterator[tuple[str, list[Any]]]:
    masked = [_masked(one, guesses.get(one, [])) for one in wanted]
    values = flink.values(family, masked)
    if values is not None:
        for one, column in zip(wanted, values, strict=True):
            rows = guesses.get(one, [])
            if rows and flink.values(family, [one], f"WHERE nth = {rows[0]}") is not None:
                print("guessed wrongly:", one, rows)
                yield one, _row_by_row(flink, family, one)
            else:
                yield one, [False if row in rows else value for row, value in enumerate(column)]
    elif len(wanted) > 1:
        half = len(wanted) // 2
        yield from _bisected(flink, family, wanted[:half], guesses)
        yield from _bisected(flink, family, wanted[half:], guesses)
    else:
        yield wanted[0], _row_by_row(flink, family, wanted[0])


def _masked(expression: str, rows: Sequence[int]) -> str:
    if not rows:
        return expression
    return f"CASE WHEN nth NOT IN ({', '.join(map(str, rows))}) THEN {expression} END"


def _row_by_row(flink: Flink, family: Family, expression: str) -> list[Any]:
    """The values of an expression that fails; often it fails in the same rows as another."""
    if flink.values(family, [expression], "WHERE nth < 0") is None:
        return [False] * len(family.rows)
    for rows in _FAILING.setdefault(family.name, []):
        values = flink.values(family, [_masked(expression, rows)])
        if values is not None:
            alone = {row: _of_row(flink, family, expression, row) for row in rows}
            return [alone.get(row, value) for row, value in enumerate(values[0])]
    found = [_of_row(flink, family, expression, row) for row in range(len(family.rows))]
    failing = [row for row, value in enumerate(found) if value is False]
    if failing not in _FAILING[family.name]:
        _FAILING[family.name].append(failing)
    return found


_FAILING: dict[str, list[list[int]]] = {}


def _of_row(flink: Flink, family: Family, expression: str, row: int) -> Any:
    values = flink.values(family, [expression], f"WHERE nth = {row}")
    return False if values is None else values[0][0]


def _reason(error: Exception) -> str:
    java = getattr(error, "java_exception", None)
    reason = ""
    while java is not None:
        reason = str(java.getMessage() or java.getClass().getSimpleName())
        java = java.getCause()
    return " ".join((reason or str(error)).split())[:200]


def _shown(value: Any, *, inside: bool = False) -> str | None:
    kind = type(value).__name__
    if value is None:
        return "NULL" if inside else None
    if kind == "JavaArray":
        return shown_row([str(_shown(one, inside=True)) for one in value], "[]")
    if kind == "JavaMap":
        entries = [(one.getKey(), one.getValue()) for one in value.entrySet()]
        return shown_map([(str(_shown(key, inside=True)), str(_shown(inner, inside=True))) for key, inner in entries])
    if kind != "JavaObject":
        return shown_plain(value, inside=inside)
    match value.getClass().getSimpleName():
        case "Row":
            return shown_row([str(_shown(value.getField(at), inside=True)) for at in range(value.getArity())], "()")
        case "Duration":
            return f"{value.toMillis()} ms"
        case "Period":
            return f"{value.toTotalMonths()} months"
        case _:
            return shown_time(str(value.toString()))


def main(wanted: Sequence[str]) -> None:
    """Ask for some families, or all."""
    engines: dict[bool, Flink] = {}
    golden = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {"families": {}}
    version = importlib.import_module("pyflink.version").__version__
    names = [one for one in wanted if one != "--new"]
    for name in names or FAMILIES:
        recorded = golden["families"].get(name, {}) if "--new" in wanted else {}
        kept = {
            one: told for one, told in recorded.items() if len(told.get("values", ())) in (0, FAMILIES[name].results)
        }
        streams = bool(FAMILIES[name].by)
        flink = engines.get(streams) or engines.setdefault(streams, Flink(streams=streams))
        began, before = time.monotonic(), flink.jobs
        golden["families"][name] = asked(flink, FAMILIES[name], kept)
        print(f"{name}: {flink.jobs - before} jobs in {time.monotonic() - began:.0f} s", flush=True)
        families = {one: golden["families"][one] for one in FAMILIES if one in golden["families"]}
        golden = {"apache-flink": version, "zone": ZONE, "families": families}
        GOLDEN.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
