"""One Spark session for all tests that need one, and the markers by which parts of the suite are chosen."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import hypothesis
import pytest

from kafkastream.spark.session.forked_python import ForkedPython
from kafkastream.spark.session.java_home import find_java
from tests.jvm import short_lived

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_ON_JAVA: Final = frozenset({"java", "kafka", "secured_kafka"})
"""Fixtures that start a JVM, or stand for one that the test starts."""

LONG: Final = frozenset(
    {
        "cluster/test_cluster.py",
        "differential/clauses/test_clauses_on_flink.py",
        "differential/functions/test_functions_on_flink.py",
        "differential/matches/test_matches_on_flink.py",
        "differential/matrix/test_matrix.py",
        "differential/over/test_over_on_flink.py",
        "differential/refusals/test_words_on_flink.py",
        "differential/sql_joins/test_sql_joins_on_flink.py",
        "docs/test_cookbook.py",
        "docs/test_docs.py",
        "docs/test_examples.py",
        "docs/test_query_pages.py",
        "docs/test_readme.py",
        "docs/test_sql_pages.py",
        "integration/test_calm_sinks.py",
        "integration/test_doctor.py",
        "integration/test_filesystem_sql.py",
        "integration/test_generated_streams.py",
        "integration/test_jdbc_tables.py",
        "integration/test_job_page.py",
        "integration/test_nexmark.py",
        "integration/test_notebooks.py",
        "integration/test_pipeline_scripts.py",
        "integration/test_pipelines_to_delta.py",
        "integration/test_pipelines_to_postgres.py",
        "integration/test_pyflink_programs.py",
        "integration/test_queries_on_queries.py",
        "integration/test_real_time.py",
        "integration/test_scripts.py",
        "integration/test_sql_clauses.py",
        "integration/test_sql_documents_at_work.py",
        "integration/test_sql_formats.py",
        "integration/test_sql_functions.py",
        "integration/test_sql_on_streams.py",
        "integration/test_sql_queries.py",
        "integration/test_sql_shell_at_work.py",
        "smoke/test_newest.py",
    }
)
"""Files of half the suite's time, which ``make test`` leaves out and ``make test-all`` runs, before a change lands.

They start whole programs or other systems, or compare SQL with Flink's record at length.
"""
_LONG_FILES: Final = frozenset(Path(__file__).parent / name for name in LONG)


hypothesis.settings.register_profile("suite", deadline=None, max_examples=30)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=300)
hypothesis.settings.register_profile("fuzz", deadline=None, max_examples=2_000)
"""A busy machine breaks no law that hypothesis tests; ``make faults`` looks at more examples of each, ``make fuzz`` at thousands."""


def pytest_configure(config: pytest.Config) -> None:
    """Set the environment of all JVMs that the tests start, and have Python look for garbage less often."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell: programs would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.update(short_lived())
    hypothesis.settings.load_profile(config.getoption("hypothesis_profile") or "suite")
    gc.set_threshold(200_000, 20, 20)  # collecting thousands of tests, none of which is garbage, takes a third less CPU


def pytest_collection_finish() -> None:
    """Have Python's garbage collector leave out the tests that there are from now on."""
    gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by markers
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests that need Java, as ``make unit`` runs the others, and those that are long."""
    for item in items:
        if item.path in _LONG_FILES:
            item.add_marker("long")
        if _ON_JAVA.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("java")


@pytest.fixture(scope="session")
def java() -> Path:
    """Return the ``java`` of this machine, for tests that start it themselves."""
    return find_java()


@pytest.fixture(scope="session")
def quick_python() -> Iterator[str]:
    """Return ``PYSPARK_PYTHON`` for programs: the whole suite has one process that Spark's are forked from."""
    created = ForkedPython.create(os.environ)
    yield str(created.program)
    created.close()


@pytest.fixture(autouse=True)
def programs_python(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs share the suite's process to fork from, unless a test is marked ``own_python``."""
    starts_programs = _ON_JAVA.intersection(request.fixturenames) and "MASTER" not in os.environ
    if starts_programs and not request.node.get_closest_marker("own_python"):
        monkeypatch.setenv("PYSPARK_PYTHON", request.getfixturevalue("quick_python"))


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest, java: Path) -> Iterator[SparkSession]:
    """Return the session that every job of the tests runs in, as the package itself would start it."""
    from kafkastream.spark.session.session import spark_session

    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            if "MASTER" not in os.environ:  # which tests/cluster sets, where Python is shipped
                patch.setenv("PYSPARK_PYTHON", request.getfixturevalue("quick_python"))
            session = spark_session()
        stack.callback(session.stop)
        yield session


@pytest.fixture(autouse=True)
def programs_session(request: pytest.FixtureRequest) -> Iterator[None]:
    """Frames of sessions beside the program's leave that the active one, in which the next test's job would run."""
    yield
    spark = request.node.funcargs.get("spark") if isinstance(request.node, pytest.Function) else None
    if hasattr(spark, "_activeSession"):
        active, type(spark)._activeSession = type(spark)._activeSession, spark
        assert active is spark
