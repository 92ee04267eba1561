"""The option of commands that run jobs: say nothing of them."""

from __future__ import annotations

import click

__all__ = ["quiet_option"]

quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Do not tell that jobs start, and how far they have come; errors are shown."
)
