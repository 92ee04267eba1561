"""Formats of messages on Spark, by Spark expressions or in Python, and the mapping of table types to Spark's.

Begin with ``message_format``: ``MessageFormat`` is the protocol of a format, and ``message_format`` finds it by the
class of its options. Each format is registered by a module ``*_messages``: ``json``, ``csv``, ``avro``, ``protobuf``;
by ``raw_bytes``; and by ``debezium``, ``canal`` and ``maxwell``, which share ``change_messages``.
"""
