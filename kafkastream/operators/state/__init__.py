"""Keyed state and timers of a bucket of keys, in pages that are read and written as one.

Begin with ``keyed_context``: the state and timers of the current key. ``state_pages`` holds the entries of keys
(``list_segments`` long lists apart from them), ``timers`` the registered timers; all of it is stored in a
``state_backend``, which the engine provides. ``former_names`` lets checkpoints be read whose classes have moved since.
"""

from kafkastream.operators.state import former_names as former_names
