"""Helpers for Java objects, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import JVM, stand_in

__all__ = [
    "add_jars_to_context_class_loader",
    "create_url_class_loader",
    "from_j_duration",
    "get_field",
    "get_field_value",
    "get_j_env_configuration",
    "invoke_method",
    "is_instance_of",
    "is_local_deployment",
    "load_java_class",
    "to_j_duration",
    "to_j_explain_detail_arr",
    "to_jarray",
]

add_jars_to_context_class_loader = stand_in(__name__, "add_jars_to_context_class_loader", JVM)
create_url_class_loader = stand_in(__name__, "create_url_class_loader", JVM)
from_j_duration = stand_in(__name__, "from_j_duration", JVM)
get_field = stand_in(__name__, "get_field", JVM)
get_field_value = stand_in(__name__, "get_field_value", JVM)
get_j_env_configuration = stand_in(__name__, "get_j_env_configuration", JVM)
invoke_method = stand_in(__name__, "invoke_method", JVM)
is_instance_of = stand_in(__name__, "is_instance_of", JVM)
is_local_deployment = stand_in(__name__, "is_local_deployment", JVM)
load_java_class = stand_in(__name__, "load_java_class", JVM)
to_j_duration = stand_in(__name__, "to_j_duration", JVM)
to_j_explain_detail_arr = stand_in(__name__, "to_j_explain_detail_arr", JVM)
to_jarray = stand_in(__name__, "to_jarray", JVM)
