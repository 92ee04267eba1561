"""Side outputs, at PyFlink's path."""

from kafkastream.spec.output_tag import OutputTag

__all__ = ["OutputTag"]
