r"""Print each word of a topic's lines in capitals: the job of the README.

The Flink original:

    env.fromSource(source, WatermarkStrategy.noWatermarks(), "lines")
       .flatMap((String line, Collector<String> out) -> { for (String word : line.split("\\s+")) out.collect(word); })
       .returns(Types.STRING)
       .map(String::toUpperCase)
       .print();

Run it, for example with a broker of `kafkastream broker --port 9092 --topic lines`:

    python examples/print_words.py
    kafkastream run examples/print_words.py
    spark-submit --jars "$(kafkastream jars)" examples/print_words.py
"""

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = (
    KafkaSource.builder()
    .set_bootstrap_servers("localhost:9092")
    .set_topics("lines")
    .set_group_id("readme")
    .set_bounded(KafkaOffsetsInitializer.latest())
    .set_value_only_deserializer(SimpleStringSchema())
    .build()
)
lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines")
lines.flat_map(lambda line: line.split(), Types.STRING()).map(str.upper, Types.STRING()).print()
env.execute("words")
