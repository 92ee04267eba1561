"""Where Kafka's C client logs to: a logger that is silent unless somebody listens, and never stderr.

A writer that is overtaken logs FATAL lines, though that is how a slot changes hands after a kill.
"""

from __future__ import annotations

import logging

__all__ = ["CLIENT_LOG"]

CLIENT_LOG = logging.getLogger("kafkastream.librdkafka")
CLIENT_LOG.addHandler(logging.NullHandler())  # without any, Python's last resort is stderr
CLIENT_LOG.propagate = False
