"""Compares cells with real Flink's: ``python -m tests.differential.matrix.compared [--planned] [--write] [FAMILY …]``.

Shows what differs without a reason. ``--write`` records what differs with one, and what is refused here; ``--planned`` looks
at types and refusals only, without Spark.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import numpy as np

from kafkastream.errors import KafkastreamError
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.session_functions import PYTHON_FUNCTIONS
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.type_families import BYTES, TEXT
from kafkastream.sql.types import DataType, Kind
from kafkastream.testing import EmbeddedKafka
from tests.differential.matrix.cells import FAMILIES
from tests.differential.matrix.family import ZONE, Family
from tests.differential.matrix.our_aggregates import grouped_values_of, planned_family
from tests.differential.matrix.ours import compiled_family, values_of
from tests.differential.matrix.reasons import REASONS, Cell, reason_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "GOLDEN",
    "KNOWN",
    "REFUSED",
    "Compiled",
    "Differences",
    "differences_of",
    "known_of",
    "planned",
    "refusals",
    "session_of",
    "type_differences",
]

_HERE: Final = Path(__file__).parent
_REFUSED_FILE: Final = _HERE / "refused.txt"
_KNOWN_FILE: Final = _HERE / "differences.json"
GOLDEN: Final[Mapping[str, Any]] = json.loads((_HERE / "golden.json").read_text())["families"]
"""What Flink gives, by family and expression."""
REFUSED: Final = _REFUSED_FILE.read_text().splitlines() if _REFUSED_FILE.exists() else []
"""Expressions that Flink accepts and this package does not, each behind its family."""
KNOWN: Final[Mapping[str, Any]] = json.loads(_KNOWN_FILE.read_text()) if _KNOWN_FILE.exists() else {}
"""What differs with a reason: by reason, family and expression, and there by row or ``type``."""

Compiled = Mapping[str, "TypedExpression | KafkastreamError"]
ValuesOf = Callable[[Mapping[str, TypedExpression]], Mapping[str, list[Any]]]
"""Computes the values of expressions in all rows."""
Differences = dict[str, dict[str, Any]]
"""What differs in a family: by expression, and by row or ``type``."""


def planned(family: Family) -> Compiled:
    """The expressions of a family, with their types or why they are refused."""
    return planned_family(family) if family.by else compiled_family(family)


def known_of(family: Family) -> dict[str, dict[str, Any]]:
    """What differs with a reason, by expression."""
    found: dict[str, dict[str, Any]] = {}
    for families in KNOWN.values():
        for expression, cells in families.get(family.name, {}).items():
            found.setdefault(expression, {}).update(cells)
    return found


def refusals(family: Family, compiled: Compiled) -> list[str]:
    """The expressions of a family that Flink computes and this package refuses."""
    golden = GOLDEN[family.name]
    refused = [one for one, made in compiled.items() if isinstance(made, KafkastreamError)]
    return [
        f"{family.name}: {one}" for one in refused if any(value is not False for value in golden[one].get("values", ()))
    ]


def type_differences(family: Family, compiled: Compiled) -> Differences:
    """The expressions whose types are not Flink's, or that Flink refuses."""
    golden, found = GOLDEN[family.name], Differences()
    for expression, made in compiled.items():
        if isinstance(made, KafkastreamError):
            continue
        if "refused" in golden[expression]:
            found[expression] = {"type": f"{_shown_type(made.type)}; refused by Flink"}
        elif _shown_type(made.type) != _theirs(golden[expression]["type"]):
            found[expression] = {"type": _shown_type(made.type)}
    return found


def differences_of(family: Family, compiled: Compiled, values_of: ValuesOf) -> Differences:
    """The values that are not Flink's.

    Args:
        family: Family.
        compiled: Its expressions.
        values_of: Computes the values of those that are not refused.
    """
    golden = GOLDEN[family.name]
    able = {
        one: made
        for one, made in compiled.items()
        if not isinstance(made, KafkastreamError) and _is_comparable(family, golden[one].get("values", ()))
    }
    found = Differences()
    for one, values in values_of(able).items():
        pairs = enumerate(zip(values, golden[one]["values"], strict=True))
        cells = {str(row): ours for row, (ours, theirs) in pairs if not _is_same(ours, theirs, able[one].type)}
        if cells:
            found[one] = cells
    return found


def _is_comparable(family: Family, theirs: Sequence[Any]) -> bool:
    """Whether Flink has values; an aggregate that fails for some groups only would fail the one query for all groups."""
    return bool(theirs) and not (family.by and False in theirs and any(value is not False for value in theirs))


def _is_same(ours: Any, theirs: Any, type_: DataType) -> bool:
    """Whether values are equal; the texts of a FLOAT have more digits in Java than in Python."""
    if type_.kind is Kind.FLOAT and isinstance(ours, str) and isinstance(theirs, str):
        return ours == theirs or bool(np.float32(ours) == np.float32(theirs))
    return bool(ours == theirs)


def session_of(program: SparkSession) -> SparkSession:
    """A session as of a query, given that of the program."""
    from kafkastream.spark.session.query_settings import job_session
    from kafkastream.spark.sql.functions.user_functions import register
    from kafkastream.spark.worker.worker_cache import JobAttempt

    session = job_session(program, ZONE)
    register(session, PYTHON_FUNCTIONS.values(), JobAttempt("cells"))
    return session


def _theirs(text: str) -> str:
    try:
        return _shown_type(parse_type(text))
    except KafkastreamError:
        return text


def _shown_type(type_: DataType) -> str:
    """A type without what differs by design: NOT NULL, and the length of texts and bytes."""
    return str(_plain(type_))


def _plain(type_: DataType) -> DataType:
    if type_.kind in TEXT:
        return DataType.string()
    if type_.kind in BYTES:
        return DataType.bytes_()
    fields = tuple(attrs.evolve(one, type=_plain(one.type)) for one in type_.fields)
    return attrs.evolve(type_, is_nullable=True, parts=tuple(map(_plain, type_.parts)), fields=fields)


def main(arguments: Sequence[str]) -> None:
    """Compare some families, or all."""
    names = [one for one in arguments if not one.startswith("--")] or list(GOLDEN)
    with _values("--planned" not in arguments) as values_of:
        _compare(names, values_of, is_written="--write" in arguments)


def _compare(names: Sequence[str], values_of: Callable[[Family], ValuesOf] | None, *, is_written: bool) -> None:
    counts = Counter[str]()
    for name in names:
        compiled = {one: made for one, made in planned(FAMILIES[name]).items() if one in GOLDEN[name]}
        known: dict[str, dict[str, dict[str, Any]]] = {}
        for one, cells in _differing(values_of, FAMILIES[name], compiled).items():
            for cell, ours in cells.items():
                reason = reason_of(_cell(FAMILIES[name], one, cell, ours))
                counts[reason or "no reason"] += 1
                if reason:
                    known.setdefault(reason, {}).setdefault(one, {})[cell] = ours
                else:
                    _show(FAMILIES[name], one, {cell: ours})
        if is_written:
            _write(name, refusals(FAMILIES[name], compiled), known)
    print(counts)


def _write(name: str, refused: Sequence[str], known: Mapping[str, Mapping[str, Any]]) -> None:
    """Write what is refused and what differs in a family, among those of the others."""
    lines = _REFUSED_FILE.read_text().splitlines() if _REFUSED_FILE.exists() else []
    by_family = {one: [line for line in lines if line.startswith(f"{one}: ")] for one in FAMILIES}
    by_family[name] = list(refused)
    _REFUSED_FILE.write_text("".join(f"{line}\n" for one in by_family.values() for line in one))
    former = json.loads(_KNOWN_FILE.read_text()) if _KNOWN_FILE.exists() else {}
    found: dict[str, dict[str, Any]] = {}
    for reason in REASONS:
        families = {**former.get(reason, {}), name: known.get(reason, {})}
        found[reason] = {one: families[one] for one in FAMILIES if families.get(one)}
    kept = {reason: families for reason, families in found.items() if families}
    _KNOWN_FILE.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def _cell(family: Family, expression: str, cell: str, ours: Any) -> Cell:
    if cell == "type":
        return Cell(family.name, expression, (), ours, None)
    theirs = GOLDEN[family.name][expression]["values"][int(cell)]
    row = (family.groups[int(cell)],) if family.by else family.rows[int(cell)]
    return Cell(family.name, expression, row, ours, theirs)


@contextmanager
def _values(is_wanted: bool) -> Iterator[Callable[[Family], ValuesOf] | None]:
    """What computes the values of a family: Spark, and a broker for aggregates; nothing unless it is wanted."""
    from kafkastream.spark.session.session import spark_session

    if not is_wanted:
        yield None
        return
    session = session_of(spark_session())
    with EmbeddedKafka() as kafka:
        yield (
            lambda family: (
                partial(grouped_values_of, kafka, family.name, family)
                if family.by
                else partial(values_of, session, family)
            )
        )


def _differing(values_of: Callable[[Family], ValuesOf] | None, family: Family, compiled: Compiled) -> Differences:
    """What differs; the values are those that are known, where they are not computed."""
    found = type_differences(family, compiled)
    values = known_of(family) if values_of is None else differences_of(family, compiled, values_of(family))
    for one, cells in values.items():
        found.setdefault(one, {}).update({cell: ours for cell, ours in cells.items() if cell != "type"})
    return {one: cells for one, cells in found.items() if cells}


def _show(family: Family, expression: str, cells: Mapping[str, Any]) -> None:
    golden = GOLDEN[family.name][expression]
    print(f"{family.name}: {expression}")
    for cell, ours in cells.items():
        if cell == "type":
            print(f"    type: {ours!r}, in Flink {golden.get('type', golden.get('refused'))!r}")
        else:
            row = family.groups[int(cell)] if family.by else family.rows[int(cell)]
            print(f"    {row}: {ours!r}, in Flink {golden['values'][int(cell)]!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
