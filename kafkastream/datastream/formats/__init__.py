"""Record and file formats, at PyFlink's paths."""
