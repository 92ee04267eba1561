from collections.abc import Mapping

from google.protobuf.message import Message

class Struct(Message):
    def update(self, struct_value: Mapping[str, object]) -> None: ...
