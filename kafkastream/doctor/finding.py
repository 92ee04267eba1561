"""A finding of a check: right, worth a look, or wrong with the way out."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import final

import attrs

from kafkastream.errors import KafkastreamError
from kafkastream.secret_masking import masked

__all__ = ["Finding", "Verdict", "examined"]


class Verdict(enum.Enum):
    """Judgment of a finding."""

    RIGHT = "right"
    NOTE = "note"
    WRONG = "wrong"


@final
@attrs.frozen
class Finding:
    """A finding.

    Args:
        subject: Subject of the check, such as ``Java``.
        text: What was found.
        verdict: Whether a job can run with it.
        now: Way out; empty if nothing is to be done.
    """

    subject: str
    text: str = attrs.field(converter=masked)
    verdict: Verdict = Verdict.RIGHT
    now: str = attrs.field(default="", converter=masked)

    @staticmethod
    def wrong(subject: str, text: str, now: str) -> Finding:
        """Return the finding of something with which no job can run."""
        return Finding(subject, text, Verdict.WRONG, now)

    @staticmethod
    def note(subject: str, text: str, now: str) -> Finding:
        """Return the finding of something that only some jobs need."""
        return Finding(subject, text, Verdict.NOTE, now)


def examined(subject: str, check: Callable[[], str | Finding]) -> Finding:
    """Run a check, and return its finding.

    Args:
        subject: Subject of the check.
        check: Returns the text of a finding that is right, or another finding. An error of this package is a finding
            that is wrong, with the error's way out.

    Example:
        >>> examined("Java", lambda: "17.0.15").verdict
        <Verdict.RIGHT: 'right'>
    """
    try:
        found = check()
    except KafkastreamError as error:
        where = f" ({error.where})" if error.where else ""
        return Finding.wrong(subject, f"{error.what}{where}", error.now)
    return found if isinstance(found, Finding) else Finding(subject, found)
