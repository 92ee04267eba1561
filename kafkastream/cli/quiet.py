"""Option ``-q`` of the commands that run jobs."""

from __future__ import annotations

import click

__all__ = ["quiet_option"]

quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Do not print start and progress of jobs; errors are shown."
)
