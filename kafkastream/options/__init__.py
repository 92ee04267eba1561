"""Configuration options: declaration, parsing and documentation.

``option`` declares an option (key, parser, default, text), ``parsers`` convert text to values; ``job``,
``checkpoints``, ``restarts``, ``metrics`` and ``table_config`` declare Flink's options, from which ``tables`` writes the
reference pages. ``ignored_settings`` and ``refused_settings`` have Flink's other options; ``flink_settings`` finds what
a key is.
"""
