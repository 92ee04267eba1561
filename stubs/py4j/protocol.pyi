"""The names of py4j that kafkastream touches; py4j ships no types."""

from typing import Any

class Py4JError(Exception): ...

class Py4JJavaError(Py4JError):
    java_exception: Any

class Py4JNetworkError(Py4JError): ...
