"""Windows of keyed streams: assigners, triggers, evictors and window functions, Flink's own and their interfaces.

Begin with ``windows``, which has the windows and the interface of assigners. ``window_assigners``, ``triggers`` and
``evictors`` are Flink's own; users may implement ``trigger_interface``, ``evictor_interface`` and ``window_functions``.
``window_operation`` is what a windowed stream puts together, for ``operators.stream.window_operator``.

Windows lie in state: ``operators.state.former_names`` keeps the names of classes that move.
"""
