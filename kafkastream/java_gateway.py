"""The gateway to Flink's JVM, at PyFlink's path, which is refused when it is used."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import JVM, stand_in

__all__ = ["get_gateway", "import_flink_view", "is_launch_gateway_disabled", "launch_gateway"]

get_gateway = stand_in(__name__, "get_gateway", JVM)
import_flink_view = stand_in(__name__, "import_flink_view", JVM)
is_launch_gateway_disabled = stand_in(__name__, "is_launch_gateway_disabled", JVM)
launch_gateway = stand_in(__name__, "launch_gateway", JVM)
