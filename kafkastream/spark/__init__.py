"""The engine: makes running queries of Spark out of the model; the only importer of pyspark.

Its packages, each of which imports only those behind it: ``job``, ``cdc``, ``plan``, ``sql``, ``exchange``, ``checkpoint``,
``worker``, ``session``. Begin with ``job``. Beside them, ``daemon`` is the process that Python workers are forked from, and
``crash_notes`` are the files in which it and they tell how a worker has ended.
"""
