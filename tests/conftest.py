"""One Spark session for all tests that need one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.jvm import short_lived

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def pytest_configure() -> None:
    """For all JVMs that the tests start."""
    os.environ.update(short_lived())


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The session that every job of the tests runs in, as the package itself would start it."""
    from kafkastream.spark.session.session import spark_session

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = spark_session()
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def programs_session(request: pytest.FixtureRequest) -> Iterator[None]:
    """Frames of sessions beside the program's leave that the active one, in which the next test's job would run."""
    yield
    spark = request.node.funcargs.get("spark") if isinstance(request.node, pytest.Function) else None
    if hasattr(spark, "_activeSession"):
        active, type(spark)._activeSession = type(spark)._activeSession, spark
        assert active is spark
