"""Tasks, and what travels between them and to the driver: one micro-batch of a query.

Begin with ``task_plan``: the tasks that Spark runs for the partitions of a source (``source_task``).
``shuffle_messages`` sorted into ``buckets`` go to ``stateful_stage``, which runs the operators with state of one level
(``keyed_task``); ``single_writer`` writes what is left in one transaction.
"""
