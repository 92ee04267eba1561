"""Starts Spark, and translates the output and errors of its JVM and workers; independent of jobs.

Begin with ``session``: the Spark session of a job, with its connector's jars (``jars``, ``ivy``) in place.
``jvm``, ``java_home`` and ``child_guard`` start processes; ``signals`` end the program.
``py_files`` and ``packed_environment`` bring Python to executors; ``checkpoint_files`` reads and writes small files on
the file systems of checkpoints; ``translate_errors`` turns Spark's errors into ours.
"""
