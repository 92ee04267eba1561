"""Runs on Python workers: operator chains from records to sinks, one Arrow batch at a time.

Begin with ``operator_chain``: the operators between a source and its sinks.
``record_decoders`` and ``value_decoders`` decode records to elements; ``chained_operators``, ``async_calls`` and
``watermark_operator`` are operators of a chain; ``chain_sinks`` end it, among them ``kafka_writer``
(``transactional_writer``: exactly once) and ``jdbc_writer``. ``reports`` go to the driver, ``failures`` name the record.
"""
