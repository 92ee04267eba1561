"""Keyed state and timers of a bucket of keys.

Start reading at ``keyed_context``: the state and timers of the current key. ``state_pages`` stores the entries of keys
in pages, ``list_segments`` long lists outside of them, and ``timers`` the registered timers; the engine provides the
``state_backend`` for all of it. ``former_names`` lets checkpoints be read whose classes have moved since.
"""

from kafkastream.operators.state import former_names as former_names
