"""Operators for ``KafkaSink``, by its delivery guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from kafkastream.kafka.admin import Cluster
from kafkastream.kafka.properties import producer_properties, transactional_properties
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.dead_letter_topics import DeadLetterSchema
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee, KafkaSink
from kafkastream.model.connectors.record_serialization import KafkaRecordSerializationSchema
from kafkastream.spark.session.key_stores import with_pem_stores
from kafkastream.spark.worker.chain_sinks import SinkOperator, SinkPlace, sink_operator
from kafkastream.spark.worker.kafka_writer import ProducingOperator, TransactionalOperator
from kafkastream.spark.worker.record_encoder import RecordEncoder, schema_for_elements
from kafkastream.spark.worker.rejected_records import DeadLetters

__all__: list[str] = []

_PROMPT: Final = {"linger.ms": "1"}
"""Java's properties of a producer in latency mode, unless the program sets them.

With 0 each record would be a request of its own, which costs the broker more than the record.
"""


@sink_operator.register
def _(sink: KafkaSink, place: SinkPlace) -> SinkOperator:
    assert sink.record_serializer is not None
    properties = with_pem_stores(sink.properties)
    own = {**_PROMPT, **properties} if place.is_prompt else properties
    serializer = schema_for_elements(_knowing_limits(sink.record_serializer, properties), place.element_type)
    encoder = RecordEncoder(serializer)
    letters = None if sink.dead_letter_topic is None else DeadLetters(place.name, sink.dead_letter_topic, properties)
    if sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE:
        assert sink.transactional_id_prefix is not None
        return TransactionalOperator(
            name=place.name,
            encoder=encoder,
            dead_letters=letters,
            properties=transactional_properties(own),
            prefix=sink.transactional_id_prefix,
            sink=place.identity,
        )
    return ProducingOperator(
        node=place.node,
        name=place.name,
        run=place.run,
        encoder=encoder,
        dead_letters=letters,
        properties=FrozenMap(producer_properties(own)),
        # Flink flushes NONE only at the end of input; here the last task of a job cannot tell that it is the last.
        flush_each_task=place.ends or sink.delivery_guarantee is DeliveryGuarantee.AT_LEAST_ONCE,
    )


def _knowing_limits(
    schema: KafkaRecordSerializationSchema[Any], properties: Mapping[str, str]
) -> KafkaRecordSerializationSchema[Any]:
    """Return the schema; one of dead letters gets the maximum record size, to which it shortens them."""
    if not isinstance(schema, DeadLetterSchema):
        return schema
    limit = Cluster(properties).topic_setting(schema.topic, "max.message.bytes")
    return attrs.evolve(schema, limit=None if limit is None else int(limit))
