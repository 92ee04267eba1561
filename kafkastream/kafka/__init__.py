"""Kafka control plane: client properties, topics, offsets, producers and transactions.

Start reading at ``admin`` (metadata and offsets), ``producer`` and ``transactions``; ``properties``, ``security`` and
``jaas`` translate the Java client's properties. Only this package and ``kafkastream.testing`` import confluent_kafka.
"""
