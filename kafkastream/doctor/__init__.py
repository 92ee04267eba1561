"""Checks of ``kafkastream doctor``: whether this machine, Spark's workers and the brokers can run a job.

Each check yields a ``Finding``: the result, a verdict, and what to do if something is wrong.

* ``finding``: the value, and ``run_check``, which turns this package's errors into findings.
* ``machine``: Python, Java, Spark, the connector's jars, limits and disks of this machine.
* ``workers``: Python and packages of Spark's workers, asked in a Spark job.
* ``brokers``: connection, topics and permissions on the Kafka brokers.

The command line is its only user.
"""
