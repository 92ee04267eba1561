"""Runs on Python workers: operator chains from a record to a sink, a batch of Arrow at a time.

Begin with ``operator_chain``: what happens to elements between their source and their sinks.
``record_decoders`` and ``value_decoders`` make elements of records; ``chained_operators``, ``async_calls`` and
``watermark_operator`` are links of a chain; ``chain_sinks`` are its ends, of which ``kafka_writer`` and
``jdbc_writer`` write (``transactional_writer``: exactly once). ``reports`` go to the driver, ``failures`` name the record.
"""
