"""Types, rows, times, watermark strategies and basic user functions: Flink's ``common``, and checks of arguments.

Begin with ``types`` and ``row``, then ``stream_functions`` and ``watermark_strategy``; ``kafkastream.common`` re-exports them.

- ``endpoints`` has the base classes of sources and sinks.
- ``coercion``, ``coercion_rules``, ``scalar_coercion`` and ``element_types`` make elements fit their declared type.
- ``argument_checks``, ``call_errors`` and ``error_location`` find mistakes and say where they are.
- ``snapshot`` and ``mutable_values`` keep what user code may change; ``immutable`` has mappings that nobody changes.
- ``stand_ins`` are the names of PyFlink that Spark cannot support.

Imported by every package above ``model``; imports no other package of ``model``.
"""
