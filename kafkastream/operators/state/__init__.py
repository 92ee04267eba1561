"""State and timers of a bucket's keys, in pages that are read and written as one.

Begin with ``keyed_context``: what a function reaches of its key. ``state_pages`` keep the entries of keys (``list_segments``
long lists apart from them), ``timers`` the times that were asked for; all of it goes to a ``state_backend``, which the engine
gives. ``former_names`` lets a checkpoint be read whose classes have moved since.
"""

from kafkastream.operators.state import former_names as former_names
