"""Checks of ``kafkastream doctor``: whether this machine, Spark's workers and the brokers can run a job.

Each check yields a ``Finding``: what was found, whether it is right, and the way out if it is not.

* ``finding``: the value, and the conversion of this package's errors to it.
* ``machine``: Python, Java, Spark, the connector's jars, limits and disks of this machine.
* ``workers``: Python and packages of Spark's workers, asked in a Spark job.
* ``brokers``: connection, topics and permissions on the Kafka brokers.

The command line is its only user.
"""
