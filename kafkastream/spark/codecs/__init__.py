"""How columns of bytes become elements and back, one file per format."""
