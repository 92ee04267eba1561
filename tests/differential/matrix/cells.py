"""All cells of the matrix of functions: expressions by rows of values, and aggregates by groups of rows."""

from __future__ import annotations

from tests.differential.matrix.aggregate_cells import AGGREGATE_FAMILIES
from tests.differential.matrix.cast_cells import CAST_FAMILIES
from tests.differential.matrix.family import Family
from tests.differential.matrix.nested_cells import NESTED_FAMILIES
from tests.differential.matrix.null_cells import NULL_FAMILIES
from tests.differential.matrix.number_cells import NUMBER_FAMILIES
from tests.differential.matrix.rare_cells import RARE_FAMILIES
from tests.differential.matrix.text_cells import TEXT_FAMILIES
from tests.differential.matrix.time_cells import TIME_FAMILIES

__all__ = ["FAMILIES"]

FAMILIES: dict[str, Family] = {
    one.name: one
    for one in (
        *(
            *TEXT_FAMILIES,
            *NUMBER_FAMILIES,
            *TIME_FAMILIES,
            *NESTED_FAMILIES,
            *NULL_FAMILIES,
            *RARE_FAMILIES,
            *CAST_FAMILIES,
        ),
        *AGGREGATE_FAMILIES,
    )
}
"""Families by name."""
