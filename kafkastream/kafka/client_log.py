"""Logger of Kafka's C client: silent unless the program configures it, and never stderr.

A fenced writer logs FATAL lines, though fencing is the normal way to replace a writer after a kill.
"""

from __future__ import annotations

import logging

__all__ = ["CLIENT_LOG"]

CLIENT_LOG = logging.getLogger("kafkastream.librdkafka")
CLIENT_LOG.addHandler(logging.NullHandler())  # without any, Python's last resort is stderr
CLIENT_LOG.propagate = False
