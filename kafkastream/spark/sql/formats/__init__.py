"""Messages as rows and back, in Spark's expressions or in Python, and the types of tables as Spark's.

Begin with ``message_format``: ``MessageFormat`` is what a format is here, and ``message_format`` finds it by the class of
its options. A module ``*_messages`` registers each: ``json``, ``csv``, ``avro``, ``protobuf``; ``raw_bytes``; and
``debezium``, ``canal`` and ``maxwell``, which have ``change_messages`` in common.
"""
