"""Port of Java programs to Python: ``kafkastream port``.

``reading`` parses Java into the frozen values of ``java_nodes``; ``program_index`` tells what each class is;
``program`` translates them, with a module for each kind of node, into trees of ``ast``, which ``python_printer`` lays out.
What has no translation becomes a mark (``marks``). Tables have most of the knowledge: ``library`` that of Java's
library, ``names`` and ``flink_calls`` that of Flink's API.
"""
