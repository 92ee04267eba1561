"""Stand-ins can be imported, named in annotations and subclassed; using one says what works instead."""

from __future__ import annotations

import inspect
from abc import ABC
from collections.abc import Callable
from typing import Any, get_type_hints

import pytest
from pyspark import cloudpickle

from kafkastream.common.io import InputFormat
from kafkastream.datastream.connectors.file_system import FileCompactor
from kafkastream.datastream.formats.orc import OrcBulkWriters
from kafkastream.datastream.functions import Partitioner
from kafkastream.datastream.window import mod_inverse
from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.stand_ins import FILES


class ByLength(Partitioner, ABC):
    def partition(self, key: str, num_partitions: int) -> int:
        return len(key) % num_partitions


USES: dict[str, Callable[[], Any]] = {
    "connectors.file_system.FileCompactor.concat_file_compactor": lambda: FileCompactor.concat_file_compactor(b""),
    "common.io.InputFormat(…)": lambda: InputFormat("/data"),
    "formats.orc.OrcBulkWriters(…)": lambda: OrcBulkWriters(None),
    "datastream.functions.Partitioner(…)": ByLength,
    "datastream.window.mod_inverse(…)": lambda: mod_inverse(3),
}


@pytest.mark.parametrize("path", USES)
def test_use_is_refused(path: str) -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        USES[path]()
    assert caught.value.where.endswith(path)
    assert caught.value.now


def test_error_says_what_works() -> None:
    with pytest.raises(UnsupportedFeatureError, match="InputFormat is not supported") as caught:
        InputFormat.of("/data")
    assert caught.value.now == FILES


def test_names_without_use_are_harmless() -> None:
    def written(sink: FileCompactor | None = None) -> InputFormat | None:
        return sink if isinstance(sink, InputFormat) else None

    assert get_type_hints(written)["return"] == InputFormat | None
    assert written() is None
    assert inspect.isclass(InputFormat)
    assert cloudpickle.loads(cloudpickle.dumps([InputFormat, mod_inverse, written]))[:2] == [InputFormat, mod_inverse]
