"""Logger of Kafka's C client: silent unless the program configures it, and never stderr.

A fenced producer logs FATAL lines, though fencing is how a writer is normally replaced after a kill.
"""

from __future__ import annotations

import logging

__all__ = ["CLIENT_LOG"]

CLIENT_LOG = logging.getLogger("kafkastream.librdkafka")
CLIENT_LOG.addHandler(logging.NullHandler())  # without any, Python's last resort is stderr
CLIENT_LOG.propagate = False
