"""Functions of the queries. ``record.py`` runs this text with ``pyflink`` in the place of ``kafkastream``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kafkastream.common import Row
from kafkastream.table import AggregateFunction, DataTypes, FunctionContext, ListView, MapView, TableFunction
from kafkastream.table.udf import udaf, udf, udtf


class Words(TableFunction):
    """The words of a text and their lengths; the names of its columns are declared."""

    def open(self, function_context: FunctionContext) -> None:
        self.separator = " "

    def eval(self, text: str | None) -> Iterator[Any]:
        if text is not None:
            for word in text.split(self.separator):
                yield word, len(word)


@udtf(result_types=["BIGINT", "STRING"])
def pairs(number: int | None, text: str | None) -> Iterator[Any]:
    """Tuples and rows, with NULL as an argument and in results."""
    yield number, text
    yield Row(None if number is None else number * 10, None)


class Mean(AggregateFunction):
    """A weighted mean, whose accumulator is a Row."""

    def create_accumulator(self) -> Row:
        return Row(0, 0)

    def accumulate(self, accumulator: Row, value: int | None, weight: int | None) -> None:
        if value is not None and weight is not None:
            accumulator[0] += value * weight
            accumulator[1] += weight

    def retract(self, accumulator: Row, value: int | None, weight: int | None) -> None:
        if value is not None and weight is not None:
            accumulator[0] -= value * weight
            accumulator[1] -= weight

    def merge(self, accumulator: Row, accumulators: Iterable[Row]) -> None:
        for other in accumulators:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_value(self, accumulator: Row) -> float | None:
        return accumulator[0] / accumulator[1] if accumulator[1] else None

    def get_result_type(self) -> Any:
        return DataTypes.DOUBLE()

    def get_accumulator_type(self) -> Any:
        return DataTypes.ROW([DataTypes.FIELD("s", DataTypes.BIGINT()), DataTypes.FIELD("w", DataTypes.BIGINT())])


class Told(AggregateFunction):
    """All calls, NULL included, in a list."""

    def create_accumulator(self) -> list[str]:
        return []

    def accumulate(self, accumulator: list[str], *args: Any) -> None:
        accumulator.append("/".join(map(str, args)))

    def retract(self, accumulator: list[str], *args: Any) -> None:
        accumulator.remove("/".join(map(str, args)))

    def merge(self, accumulator: list[str], accumulators: Iterable[list[str]]) -> None:
        for other in accumulators:
            accumulator.extend(other)

    def get_value(self, accumulator: list[str]) -> str:
        return ",".join(sorted(accumulator))

    def get_result_type(self) -> str:
        return "STRING"

    def get_accumulator_type(self) -> str:
        return "ARRAY<STRING>"


class Joined(AggregateFunction):
    """Texts in a ListView, without ``retract`` and ``merge``."""

    def create_accumulator(self) -> Row:
        return Row(ListView(), 0)

    def accumulate(self, accumulator: Row, text: str | None) -> None:
        if text is not None:
            accumulator[0].add(text)
            accumulator[1] += 1

    def get_value(self, accumulator: Row) -> str:
        return f"{accumulator[1]}: {'|'.join(sorted(accumulator[0].get()))}"

    def get_result_type(self) -> Any:
        return DataTypes.STRING()

    def get_accumulator_type(self) -> Any:
        return DataTypes.ROW(
            [
                DataTypes.FIELD("texts", DataTypes.LIST_VIEW(DataTypes.STRING())),
                DataTypes.FIELD("n", DataTypes.BIGINT()),
            ]
        )


class Distinct(AggregateFunction):
    """The number of different values, in a MapView."""

    def create_accumulator(self) -> Row:
        return Row(MapView())

    def accumulate(self, accumulator: Row, value: Any) -> None:
        if value is not None:
            counts = accumulator[0]
            counts[value] = counts[value] + 1 if value in counts else 1

    def retract(self, accumulator: Row, value: Any) -> None:
        if value is not None:
            counts = accumulator[0]
            counts[value] -= 1
            if counts[value] == 0:
                del counts[value]

    def get_value(self, accumulator: Row) -> int:
        return len(list(accumulator[0].keys()))

    def get_result_type(self) -> Any:
        return DataTypes.BIGINT()

    def get_accumulator_type(self) -> Any:
        return DataTypes.ROW([DataTypes.FIELD("m", DataTypes.MAP_VIEW(DataTypes.BIGINT(), DataTypes.BIGINT()))])


class Extent(AggregateFunction):
    """Least and greatest value, with their types."""

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], *args: Any) -> None:
        accumulator.append(f"{type(args[0]).__name__} {args[0]}")

    def get_value(self, accumulator: list[str]) -> str | None:
        return f"{min(accumulator)} to {max(accumulator)}" if accumulator else None

    def get_result_type(self) -> str:
        return "STRING"

    def get_accumulator_type(self) -> str:
        return "ARRAY<STRING>"


@udaf(result_type=DataTypes.DOUBLE(), func_type="pandas")
def middle(values: Any) -> Any:
    """The median of a Series."""
    return values.median()


FUNCTIONS: dict[str, Any] = {
    "words": udtf(Words(), result_types="ROW<word STRING, length INT>"),
    "pairs": pairs,
    "numbers": udtf(lambda n: range(n or 0), result_types=DataTypes.INT()),
    "texts": udtf(lambda s: [s, s, None] if s else None, result_types=["STRING"]),
    "single": udtf(lambda s: s, result_types=["STRING"]),
    "tagged": udtf(
        lambda n: [(n, [n, None], {"a": n})], result_types=["BIGINT", "ARRAY<BIGINT>", "MAP<STRING, BIGINT>"]
    ),
    "typed": udtf(lambda n: [(n, type(n).__name__)], ["BIGINT"], ["BIGINT", "STRING"]),
    "shout": udf(lambda s: s and s.upper(), result_type="STRING"),
    "mean": udaf(Mean()),
    "told": udaf(Told()),
    "joined": udaf(Joined()),
    "different": udaf(Distinct()),
    "extent": udaf(Extent()),
    "middle": middle,
}
