"""Sample of a topic's messages, from which a table can be inferred."""

from __future__ import annotations

from typing import final

import attrs

__all__ = ["Message", "TopicSample"]


@final
@attrs.frozen
class Message:
    """A record's key and value."""

    key: bytes | None = attrs.field(default=None, repr=False)
    value: bytes | None = attrs.field(default=None, repr=False)


@final
@attrs.frozen
class TopicSample:
    """Sample of a topic's messages, with facts about the topic.

    Args:
        messages: Newest messages, or some of them.
        is_compacted: Whether the topic is compacted.
    """

    messages: tuple[Message, ...]
    is_compacted: bool = False
