"""Files by Arrow: part files, published when their micro-batch is complete, and files that are read."""
