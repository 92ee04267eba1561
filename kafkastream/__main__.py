"""``python -m kafkastream``: the command line."""

from __future__ import annotations

from kafkastream.cli import main

if __name__ == "__main__":
    main(prog_name="python -m kafkastream")
