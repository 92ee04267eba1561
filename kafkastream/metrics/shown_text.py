"""Numbers and names as pages and logs show them: in one line, and never an exception."""

from __future__ import annotations

import math
from typing import Final

__all__ = ["number_text", "one_line"]

_EXACT: Final = 10**40


def number_text(value: float, form: str = "") -> str:
    """Return the text of a number; NaN and infinities as Java writes them.

    Python refuses to write a whole number of more than 4,300 digits, and takes quadratic time for fewer:
    https://docs.python.org/3/library/stdtypes.html#int-max-str-digits.

    Args:
        value: Number.
        form: Format specification, applied to finite numbers of at most 40 digits.

    Example:
        >>> number_text(1234.5, ",.1f"), number_text(float("-inf")), number_text(12 * 10**5000)
        ('1,234.5', '-Infinity', 'about 1.20e+5001')
    """
    if isinstance(value, int) and not -_EXACT < value < _EXACT:
        exponent = math.log10(abs(value))
        digits = 10 ** (exponent % 1)
        return f"about {'-' if value < 0 else ''}{digits:.2f}e+{int(exponent)}"
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return format(value, form)


def one_line(text: str) -> str:
    r"""Return a name with escapes for line breaks, control characters and halves of surrogate pairs.

    Example:
        >>> one_line("Größe\x1b[2J\n")
        'Größe\\x1b[2J\\n'
    """
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
