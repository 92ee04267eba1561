"""A cluster for the tests, and the environment that is shipped to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.shipping import packed
from tests.cluster.spark_cluster import SparkCluster


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``kafkastream pack`` writes."""
    return packed(tmp_path_factory.mktemp("packed"))


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    """A master and two workers, which do not know this program's Python."""
    with SparkCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster
