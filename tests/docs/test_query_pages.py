"""Examples on the pages of docs/sql/queries: each query gives the table below it, after the page's INSERT statements.

Run as a program (``python -m tests.docs.test_query_pages [PAGE …]``), it writes the tables anew.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from kafkastream.model.common.row import Row
from kafkastream.sql.types import DataType
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.table.tableau import static_tableau
from tests.docs.placed_table import DOCS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGES: Final = tuple(sorted((DOCS / "sql" / "queries").glob("*.md")))
TABLES: Final = DOCS / "sql" / "queries" / "README.md"
_EXAMPLE: Final = re.compile(r"```sql\n(SELECT|WITH|VALUES)(.*?);\n```\n\n```text\n(.*?)```\n", re.DOTALL)
_CREATED: Final = re.compile(r"```sql\n(CREATE .*?)```", re.DOTALL)
_WRITTEN: Final = re.compile(r"```sql\n((?:INSERT|EXECUTE) .*?)```", re.DOTALL)
_FUNCTIONS: Final = re.compile(r"```python\n(.*?)```", re.DOTALL)
_ROWS: Final = re.compile(r"<!-- rows (\w+) -->\n```json\n(.*?)```\n", re.DOTALL)


class Example(NamedTuple):
    """A query on a page, with the table below it."""

    page: Path
    query: str
    shown: str


def examples() -> Iterator[Example]:
    for page in PAGES:
        for found in _EXAMPLE.finditer(page.read_text(encoding="utf-8")):
            yield Example(page, found[1] + found[2], found[3])


EXAMPLES: Final = tuple(examples())


def environment(folder: Path) -> TableEnvironment:
    """Environment with the tables and functions of the pages; the rows of the tables are in a folder."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    t_env.get_config().set_local_timezone("UTC")
    t_env.get_config().set("table.dml-sync", "true")
    for name, rows in _ROWS.findall(TABLES.read_text(encoding="utf-8")):
        (folder / name).mkdir()
        (folder / name / "rows.json").write_text(rows)
    for text in (page.read_text(encoding="utf-8") for page in PAGES):
        for block in _CREATED.findall(text):
            t_env._execute_all(block.replace("/data/", f"{folder}/"))
        for block in _FUNCTIONS.findall(text):
            exec(block, {"t_env": t_env})
    return t_env


def names_of(t_env: TableEnvironment, example: Example) -> Sequence[str]:
    return t_env.sql_query(example.query).get_schema().get_field_names()


def tables(t_env: TableEnvironment, chosen: Sequence[Example] = EXAMPLES) -> Mapping[Example, str]:
    """Run queries as one job, after the INSERT statements of their pages.

    Returns:
        The table of each query, with its final rows in the order of their texts.
    """
    for page in {example.page for example in chosen}:
        for block in _WRITTEN.findall(page.read_text(encoding="utf-8")):
            t_env._execute_all(block)
    parts = []
    for number, example in enumerate(chosen):
        columns = [f"COALESCE(CAST(`{name}` AS STRING), '<NULL>')" for name in names_of(t_env, example)]
        parts.append(f"SELECT {number} AS q, ARRAY[{', '.join(columns)}] AS r FROM ({example.query})")
    left: list[Counter[tuple[str, ...]]] = [Counter() for _ in chosen]
    with t_env.execute_sql(" UNION ALL ".join(parts)).collect() as rows:
        for row in rows:
            left[row[0]][tuple(row[1])] += 1 if str(row.get_row_kind()).startswith("+") else -1
    return {
        example: table(names_of(t_env, example), sorted((+rows).elements()))
        for example, rows in zip(chosen, left, strict=True)
    }


def table(names: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    lines = static_tableau([(name, DataType.string()) for name in names], [Row(*row) for row in rows])
    return "".join(f"{line}\n" for line in lines)


def compare(folder: Path, chosen: Sequence[Example]) -> None:
    for example, made in tables(environment(folder), chosen).items():
        assert example.shown == made, f"{example.page.name}: {example.query}"


def test_a_query_of_each_page_gives_the_table_below_it(tmp_path: Path, spark: SparkSession) -> None:
    compare(tmp_path, list({example.page: example for example in EXAMPLES}.values()))


@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_all_queries_give_the_tables_below_them(tmp_path: Path, spark: SparkSession) -> None:
    compare(tmp_path, EXAMPLES)


def test_all_queries_are_planned(tmp_path: Path) -> None:
    t_env = environment(tmp_path)
    for example in EXAMPLES:
        assert names_of(t_env, example)


def test_every_page_has_an_example_and_stands_in_the_list() -> None:
    listed = re.findall(r"\]\(([\w-]+\.md)\)", TABLES.read_text(encoding="utf-8"))
    others = [page for page in PAGES if page != TABLES]
    assert sorted(listed) == [page.name for page in others]
    assert {example.page for example in EXAMPLES} == set(others)


def main(pages: Sequence[str]) -> None:
    chosen = [example for example in EXAMPLES if not pages or example.page.name in pages]
    with tempfile.TemporaryDirectory() as folder:
        made = tables(environment(Path(folder)), chosen)
    for example, text in made.items():
        page = example.page.read_text(encoding="utf-8")
        before, query, after = page.partition(f"{example.query};\n```\n\n```text\n")
        assert query
        example.page.write_text(before + query + text + after[after.index("```") :], encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
