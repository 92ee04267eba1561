"""Tasks of a micro-batch, and the messages between them and to the driver.

Begin with ``task_plan``: the tasks that Spark runs for the partitions of a source (``source_task``).
They send ``shuffle_messages`` by ``buckets`` of keys to ``stateful_stage``, which runs the keyed operators of one level
(``keyed_task``). ``single_writer`` writes the output of keyed operators to an exactly-once sink in one transaction.
"""
