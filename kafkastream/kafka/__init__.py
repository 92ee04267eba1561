"""Kafka control plane: client properties, topics, offsets, producers and transactions.

Begin with ``admin`` (metadata and offsets), ``producer`` and ``transactions``; ``properties``, ``security`` and
``jaas`` translate Java's client properties. Only this package and ``kafkastream.testing`` import confluent_kafka.
"""
