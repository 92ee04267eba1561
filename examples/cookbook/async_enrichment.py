"""Ask an HTTP service about each order, many at a time, with retries and a result for what times out."""

import asyncio
import sys
import urllib.request

from kafkastream.common import SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.datastream import AsyncDataStream, AsyncFunction, AsyncRetryStrategy, StreamExecutionEnvironment
from kafkastream.datastream.async_retry_predicates import has_exception_predicate
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.util.parameter_tool import ParameterTool


class Price(AsyncFunction[str, str]):
    def __init__(self, service: str) -> None:
        self.service = service

    async def async_invoke(self, value: str) -> list[str]:
        answer = await asyncio.to_thread(lambda: urllib.request.urlopen(f"{self.service}/{value}").read().decode())
        return [f"{value} costs {answer}"]

    def timeout(self, value: str) -> list[str]:
        return [f"{value} has no price"]


def main(servers: str, service: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics("orders")
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    schema = KafkaRecordSerializationSchema.builder().set_topic("priced-orders")
    schema.set_value_serialization_schema(SimpleStringSchema())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
    sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    orders = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "orders")
    retry = AsyncRetryStrategy.fixed_delay(3, 100, None, has_exception_predicate)
    prices = Price(service), Time.seconds(5), retry, 100, Types.STRING()
    AsyncDataStream.unordered_wait_with_retry(orders, *prices).sink_to(sink.build())
    env.execute("prices")


if __name__ == "__main__":
    args = ParameterTool.from_args(sys.argv[1:])
    main(args.get("servers", "localhost:9092"), args.get("service", "http://localhost:8000"))
