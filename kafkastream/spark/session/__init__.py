"""Starts Spark, and tells what its JVM and workers say in the user's words; nothing here knows of jobs.

Begin with ``session``: the Spark session of a job, with its connector's jars (``jars``, ``ivy``) in place.
``jvm``, ``java_home`` and ``child_guard`` start processes; ``signals`` end the program.
``py_files`` and ``packed_environment`` bring Python to executors; ``checkpoint_files`` reads and writes small
files on whatever Spark keeps checkpoints on; ``translate_errors`` makes Spark's errors ours.
"""
