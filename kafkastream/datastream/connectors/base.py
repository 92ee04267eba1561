"""What connectors share, at PyFlink's path."""

from kafkastream.spec.sink import DeliveryGuarantee

__all__ = ["DeliveryGuarantee"]
