"""What describes messages, as far as it is touched."""

from collections.abc import MutableSequence

from google.protobuf.message import Message

class FileDescriptorProto(Message):
    name: str
    syntax: str
    dependency: MutableSequence[str]
    def __init__(self) -> None: ...

class FileDescriptorSet(Message):
    file: MutableSequence[FileDescriptorProto]
    def __init__(self) -> None: ...
    @classmethod
    def FromString(cls, s: bytes, /) -> FileDescriptorSet: ...
