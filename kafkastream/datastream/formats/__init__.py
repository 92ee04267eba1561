"""File formats as schemas of records, at PyFlink's paths."""
