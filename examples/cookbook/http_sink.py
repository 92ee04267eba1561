"""Post elements to an HTTP service in batches, with retries, and a topic for what the service refuses."""

import http.client
import json
import sys
from collections.abc import Sequence
from urllib.parse import urlsplit

from kafkastream.common import SimpleStringSchema, WatermarkStrategy
from kafkastream.connect import (
    DeadLetter,
    DeadLetterSchema,
    RetriableError,
    Sink,
    SinkWriter,
    WriteContext,
)
from kafkastream.datastream import RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaSink,
    KafkaSource,
)
from kafkastream.util.parameter_tool import ParameterTool


class HttpWriter(SinkWriter[str]):
    def __init__(self, url: str, context: RuntimeContext) -> None:
        self.url = urlsplit(url)
        self.requests = context.get_metrics_group().counter("requests")
        self.connection = http.client.HTTPConnection(self.url.netloc, timeout=10)

    def post(self, elements: Sequence[str]) -> int:
        self.requests.inc()
        try:
            self.connection.request("POST", self.url.path or "/", json.dumps(list(elements)))
            response = self.connection.getresponse()
            response.read()
        except (OSError, http.client.HTTPException) as error:  # the next attempt opens a new connection
            self.connection.close()
            raise RetriableError(f"{self.url.netloc} does not answer: {error}") from error
        if response.status == 429 or response.status >= 500:
            raise RetriableError(f"HTTP {response.status}")
        return response.status

    def write(self, elements: Sequence[str], context: WriteContext) -> None:
        if self.post(elements) < 400:
            return
        for index, element in enumerate(elements):  # one of them is refused
            status = self.post([element])
            if status >= 400:
                context.reject(index, ValueError(f"HTTP {status}"))


class HttpSink(Sink[str]):
    def __init__(self, url: str, letters: KafkaSink[DeadLetter]) -> None:
        self.url = url
        self.letters = letters

    def create_writer(self, context: RuntimeContext) -> HttpWriter:
        return HttpWriter(self.url, context)

    @property
    def dead_letters(self) -> KafkaSink[DeadLetter]:
        return self.letters


def main(servers: str, url: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics("orders")
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    orders = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "orders")
    letters = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(DeadLetterSchema("refused"))
    letters.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    orders.sink_to(HttpSink(url, letters.build())).uid("service")
    env.execute("post orders")


if __name__ == "__main__":
    args = ParameterTool.from_args(sys.argv[1:])
    main(args.get("servers", "localhost:9092"), args.get("url", "http://localhost:8000/orders"))
