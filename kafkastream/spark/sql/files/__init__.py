"""Files by Arrow: part files that appear when their micro-batch is complete, and contents that are read."""
