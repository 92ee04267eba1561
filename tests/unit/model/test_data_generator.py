"""``DataGeneratorSource``: elements by a function."""

from __future__ import annotations

import pytest

from kafkastream.common import Types
from kafkastream.datastream import MapFunction
from kafkastream.datastream.connectors.data_gen import DataGeneratorSource
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.connectors.kafka_source import Boundedness


class Doubled(MapFunction):
    def map(self, value: int) -> int:
        return 2 * value


def test_a_function_or_a_map_function_makes_the_elements() -> None:
    assert DataGeneratorSource(str, 3).elements == ("0", "1", "2")
    source = DataGeneratorSource(Doubled(), 3, Types.LONG())
    assert (source.elements, source.get_produced_type()) == ((0, 2, 4), Types.LONG())
    assert source.get_boundedness() is Boundedness.BOUNDED


def test_the_count_is_checked() -> None:
    with pytest.raises(DefinitionError, match="must not be negative"):
        DataGeneratorSource(str, -1)
    with pytest.raises(UnsupportedFeatureError, match="connector 'datagen'"):
        DataGeneratorSource(str, 2**63 - 1)
