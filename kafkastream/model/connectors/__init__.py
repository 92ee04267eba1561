"""Sources and sinks: Kafka, files and PostgreSQL, with Flink's defaults and rules.

Begin with ``kafka_source`` and ``kafka_sink``: a value is frozen, its constructor has the rules, and a builder collects.

- Reading from Kafka: ``subscription``, ``offsets_initializers``, ``record_deserialization``, ``kafka_source_builder``,
  ``kafka_source_properties``.
- Writing to Kafka: ``record_serialization``, ``record_builders``, ``partitioners``, ``record_size``, ``dead_letter_topics``.
- Files: ``file_source``, ``file_sink``, ``file_sink_settings``, ``file_formats``, ``file_path``.
- Others: ``jdbc_sink``, ``number_sequence``, and ``legacy_connectors`` of Flink 1.x.

The engine finds the operator of a sink by its ``engine_module``. Re-exported in ``kafkastream.datastream.connectors``.
"""
