"""Each fault of ``tests.faults.planted`` can still be planted, and the tests that must catch it still exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.planted import FAULTS, ROOT, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_can_be_planted(fault: Fault, tmp_path: Path) -> None:
    file = tmp_path / "kafkastream" / fault.file
    file.parent.mkdir(parents=True)
    file.write_text((ROOT / "kafkastream" / fault.file).read_text(encoding="utf-8"), encoding="utf-8")
    fault.plant(tmp_path)
    compile(file.read_text(encoding="utf-8"), fault.file, "exec")
    for test in fault.tests:
        path, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}" in (ROOT / "tests" / path).read_text(encoding="utf-8")
