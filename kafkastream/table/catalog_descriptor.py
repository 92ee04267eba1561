"""``CatalogDescriptor``: a catalog by its options, at PyFlink's path."""

from __future__ import annotations

from typing import final

import attrs

from kafkastream.model.job.configuration import Configuration

__all__ = ["CatalogDescriptor"]


@final
@attrs.frozen
class CatalogDescriptor:
    """Catalog by its options, for ``TableEnvironment.create_catalog``.

    Example:
        >>> options = Configuration()
        >>> options.set_string("type", "kafka").get_string("type", "")
        'kafka'
        >>> CatalogDescriptor.of("topics", options).name
        'topics'
    """

    name: str
    configuration: Configuration
    comment: str | None = None

    @staticmethod
    def of(catalog_name: str, configuration: Configuration, comment: str | None = None) -> CatalogDescriptor:
        """Return the descriptor of a catalog.

        Args:
            catalog_name: Name of the catalog.
            configuration: Options as of ``CREATE CATALOG ... WITH``.
            comment: Comment.
        """
        return CatalogDescriptor(catalog_name, configuration, comment)
