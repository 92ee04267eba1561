"""Tables that are declared without SQL, at work."""

from __future__ import annotations

from kafkastream.common import ConfigOptions
from kafkastream.table import DataTypes, Schema, TableDescriptor, TableEnvironment
from kafkastream.testing import KafkaBroker
from kafkastream.testing.pytest_plugin import NewTopic


def test_rows_go_from_a_descriptor_to_another(t_env: TableEnvironment, kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic()
    numbers = (
        TableDescriptor.for_connector("datagen")
        .schema(
            Schema.new_builder()
            .column("id", DataTypes.BIGINT().not_null())
            .column_by_expression("square", "id * id")
            .build()
        )
        .option("fields.id.kind", "sequence")
        .option("fields.id.start", 1)
        .option("fields.id.end", 3)
        .build()
    )
    squares = (
        TableDescriptor.for_connector("upsert-kafka")
        .schema(Schema.new_builder().primary_key("id").build())
        .option("topic", topic)
        .option("properties.bootstrap.servers", kafka.bootstrap_servers)
        .format("json", ConfigOptions.key("key.format").string_type().no_default_value())
        .format("json", ConfigOptions.key("value.format").string_type().no_default_value())
        .build()
    )
    t_env.create_temporary_view("numbers", t_env.from_descriptor(numbers))
    found = t_env.sql_query("SELECT square, id FROM numbers WHERE id > 1")
    result = found.execute_insert(squares)
    result.wait()
    written = {record.key: record.value for record in kafka.consume(topic, count=2)}
    assert written == {b'{"id":2}': b'{"square":4,"id":2}', b'{"id":3}': b'{"square":9,"id":3}'}
    assert result.get_table_schema().get_field_names() == [
        "default_catalog.default_database.*anonymous_upsert-kafka$2*"
    ]
    assert t_env.list_tables() == ["numbers"]
