"""README and docs are run as they are written, on a real broker, all in one Spark session.

A page is run like a notebook: its ``python`` blocks one after the other, in one namespace. What a reader cannot see:

* ``<!-- given orders: first | second -->`` before a block puts these records into topic ``orders``, a fresh one for
  the page; every ``"orders"`` in the page's code then means that topic.
* ``<!-- then orders: first | second -->`` after a block checks the values of all records of the topic.
* ``localhost:9092`` means the tests' broker, ``file:///data`` a temporary directory.
* A ``sql`` block is carried out as by ``kafkastream sql``, in one table environment for the page, whose INSERTs wait.
* A ``text`` block right after a ``python`` or ``sql`` block is what that block prints; what has nothing to tell is left out.
* A block that begins with ``# Before`` (``-- Before``) is for Flink: it only has to be Python (SQL). Each has its ``# After``.
* A function ``test_…`` in a block is called with the fixtures that it names.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from kafkastream.sql.syntax.parser import parse
from kafkastream.table import EnvironmentSettings, ResultKind, TableEnvironment
from kafkastream.testing import KafkaBroker
from kafkastream.testing.pytest_plugin import NewTopic
from tests.docs.placed_code import placed_code

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PART = re.compile(
    r"^```(?P<language>\w*)\n(?P<code>.*?)^```$|^<!-- (?P<verb>given|then) (?P<topic>[\w.-]+):(?P<records>.*?) -->$",
    re.MULTILINE | re.DOTALL,
)


@attrs.frozen
class Block:
    """A fenced block of a page."""

    language: str
    code: str
    line: int

    @property
    def is_before(self) -> bool:
        return self.code.startswith(("# Before", "// Before", "-- Before"))


@attrs.frozen
class Records:
    """What a topic is given, or what it holds then."""

    verb: str
    topic: str
    values: tuple[str, ...]


def parts(page: Path) -> Iterator[Block | Records]:
    text = page.read_text(encoding="utf-8")
    for found in PART.finditer(text):
        if found["verb"]:
            values = tuple(value.strip() for value in found["records"].split("|") if value.strip())
            yield Records(found["verb"], found["topic"], values)
        else:
            yield Block(found["language"], found["code"], text.count("\n", 0, found.start("code")) + 1)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


RUN = {"python", "sql"}
RUN_PAGES = [
    page
    for page in PAGES
    if page.parent.name != "queries"  # test_query_pages.py runs their queries in one job
    and page.name != "cookbook.md"  # test_cookbook.py runs its programs
    and any(isinstance(part, Block) and part.language in RUN for part in parts(page))
]


def table_environment() -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("table.dml-sync", "true").set("table.local-time-zone", "UTC").set("parallelism.default", "1")
    return t_env


@attrs.frozen
class Notebook:
    """A page at work."""

    page: Path
    kafka: KafkaBroker
    new_topic: NewTopic
    data: Path
    request: pytest.FixtureRequest
    topics: dict[str, str] = attrs.field(factory=dict)
    names: dict[str, Any] = attrs.field(factory=lambda: {"__name__": "__main__"})
    t_env: TableEnvironment = attrs.field(factory=table_environment)

    def run(self) -> None:
        printed = ""
        for part in parts(self.page):
            match part:
                case Records(verb="given"):
                    self._give(part)
                case Records():
                    self._check(part)
                case Block(language="python", is_before=True):
                    ast.parse(part.code)
                case Block(language="python"):
                    printed = self._run(part)
                case Block(language="sql", is_before=True):
                    assert parse(part.code)
                case Block(language="sql"):
                    printed = self._execute(part)
                case Block(language="text"):
                    assert printed == part.code, f"{name_of(self.page)}, line {part.line}"

    def _give(self, records: Records) -> None:
        if records.topic not in self.topics:
            self.topics[records.topic] = self.new_topic()
        self.kafka.produce(self.topics[records.topic], records.values)

    def _check(self, records: Records) -> None:
        held = self.kafka.consume(self.topics[records.topic])
        assert tuple((record.value or b"").decode() for record in held) == records.values

    def _run(self, block: Block) -> str:
        # Blank lines before it make the line numbers of tracebacks those of the page.
        code = compile("\n" * (block.line - 1) + self._placed(block.code), name_of(self.page), "exec")
        known = set(self.names)
        with redirect_stdout(io.StringIO()) as output:
            exec(code, self.names)
            for name in [name for name in self.names if name.startswith("test_") and name not in known]:
                self._test(self.names[name])
        return output.getvalue()

    def _execute(self, block: Block) -> str:
        with redirect_stdout(io.StringIO()) as output:
            for result in map(self.t_env._execute, parse(self._placed(block.code))):
                if result.get_result_kind() is not ResultKind.SUCCESS and result.get_job_client() is None:
                    result.print()
        return output.getvalue()

    def _placed(self, code: str) -> str:
        return placed_code(code, self.topics, self.kafka.bootstrap_servers, self.data)

    def _test(self, function: Any) -> None:
        function(*map(self.request.getfixturevalue, inspect.signature(function).parameters))


@pytest.mark.timeout(300)  # the tutorial starts a broker of its own, and its job twice
@pytest.mark.parametrize("page", RUN_PAGES, ids=name_of)
def test_page_runs_as_written(
    page: Path,
    kafka: KafkaBroker,
    new_topic: NewTopic,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    spark: SparkSession,
) -> None:
    Notebook(page, kafka, new_topic, tmp_path, request).run()


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "porting").glob("*.md")), ids=name_of)
def test_every_before_has_its_after(page: Path) -> None:
    blocks = [part for part in parts(page) if isinstance(part, Block) and part.language in {*RUN, "java"}]
    befores = [(one, other) for one, other in pairwise(blocks) if one.is_before]
    assert befores or not blocks
    assert [one.line for one, other in befores if not other.code.startswith(("# After", "-- After"))] == []
