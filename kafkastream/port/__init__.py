"""Port of Java programs to Python: ``kafkastream port``.

``reading`` parses Java into the frozen values of ``java_nodes``, and ``program_index`` decides what each class becomes:
data, a function of Flink's API, an enumeration. ``program`` translates them to trees of ``ast``, with a module for each
kind of node, and ``python_printer`` prints the trees. Code without a translation becomes a mark (``marks``), a comment
with the Java code. Most of the knowledge is in tables: of Java's library in ``library`` and ``library_statics``, of
Flink's API in ``names``, ``flink_types`` and ``flink_calls``.
"""
