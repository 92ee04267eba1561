"""Findings: the result of a check, with a verdict and what to do if something is wrong."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import final

import attrs

from kafkastream.errors import KafkastreamError
from kafkastream.secret_masking import masked

__all__ = ["Finding", "Verdict", "run_check"]


class Verdict(enum.Enum):
    """Whether a finding is right, only worth a look, or keeps jobs from running."""

    RIGHT = "right"
    NOTE = "note"
    WRONG = "wrong"


@final
@attrs.frozen
class Finding:
    """Result of a check.

    Args:
        subject: Subject of the check, such as ``Java``.
        text: Result of the check.
        verdict: Whether a job can run with it.
        now: What to do; empty if nothing needs to be done.
    """

    subject: str
    text: str = attrs.field(converter=masked)
    verdict: Verdict = Verdict.RIGHT
    now: str = attrs.field(default="", converter=masked)

    @staticmethod
    def wrong(subject: str, text: str, now: str) -> Finding:
        """Return a finding with which no job can run."""
        return Finding(subject, text, Verdict.WRONG, now)

    @staticmethod
    def note(subject: str, text: str, now: str) -> Finding:
        """Return a finding that matters to some jobs only."""
        return Finding(subject, text, Verdict.NOTE, now)


def run_check(subject: str, check: Callable[[], str | Finding]) -> Finding:
    """Run a check, and return its finding.

    Args:
        subject: Subject of the check.
        check: Returns the text of a right finding, or another finding. An error of this package becomes a wrong
            finding with the error's advice.

    Example:
        >>> run_check("Java", lambda: "17.0.15").verdict
        <Verdict.RIGHT: 'right'>
    """
    try:
        result = check()
    except KafkastreamError as error:
        where = f" ({error.where})" if error.where else ""
        return Finding.wrong(subject, f"{error.what}{where}", error.now)
    return result if isinstance(result, Finding) else Finding(subject, result)
