from google.protobuf.message import Message

class StringValue(Message):
    def __init__(self, *, value: str = ...) -> None: ...
