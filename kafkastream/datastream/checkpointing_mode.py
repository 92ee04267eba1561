"""The checkpointing mode, at PyFlink's path."""

from kafkastream.datastream.checkpoint_config import CheckpointingMode

__all__ = ["CheckpointingMode"]
