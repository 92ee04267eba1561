"""The engine: compiles the model to Spark queries and runs them; the only importer of pyspark.

Its packages, each of which imports only packages after it: ``job``, ``cdc``, ``plan``, ``sql``, ``exchange``,
``checkpoint``, ``worker``, ``session``, ``internals``. Begin with ``job``. In addition, ``daemon`` is the process from which
Python workers are forked, and ``crash_notes`` are the files in which it and the workers note how a worker ended.
"""
