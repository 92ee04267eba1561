"""The Kafka control plane: client properties, topics, offsets, producers; the only importer of confluent_kafka."""
