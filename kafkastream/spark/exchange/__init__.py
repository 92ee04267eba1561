"""Tasks, and what travels between them and to the driver: one micro-batch of a query.

Begin with ``source_tasks``: what Spark runs for the partitions of a source (``source_chain``).
``shuffle_messages`` sorted into ``buckets`` go to ``stateful_stage``, which runs the operators with state of one level
(``keyed_task``); ``single_writer`` writes what is left in one transaction.
"""
