"""Slot sharing groups, at PyFlink's path, accepted without resources: all operators share Spark's cores."""

from __future__ import annotations

from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stand_ins import Refused

__all__ = [
    "MemorySize",
    "SlotSharingGroup",
]


_KIBI: Final = 1024
_MEBI: Final = _KIBI**2


@final
@checked_methods
@attrs.frozen(order=True)
class MemorySize:
    """Amount of memory.

    Args:
        bytes_size: Number of bytes.

    Example:
        >>> MemorySize.of_mebi_bytes(2).get_kibi_bytes()
        2048
    """

    get_java_memory_size = Refused()

    bytes_size: int

    def __attrs_post_init__(self) -> None:
        if self.bytes_size < 0:
            raise DefinitionError(f"memory size {self.bytes_size} bytes is negative", now="Give 0 or more.")

    @staticmethod
    def of_mebi_bytes(mebi_bytes: int) -> MemorySize:
        """Create an amount of ``mebi_bytes`` MiB."""
        return MemorySize(mebi_bytes * _MEBI)

    ofMebiBytes = of_mebi_bytes

    def get_bytes(self) -> int:
        """Return the number of bytes."""
        return self.bytes_size

    getBytes = get_bytes

    def get_kibi_bytes(self) -> int:
        """Return the number of whole KiB."""
        return self.bytes_size // _KIBI

    getKibiBytes = get_kibi_bytes

    def get_mebi_bytes(self) -> int:
        """Return the number of whole MiB."""
        return self.bytes_size // _MEBI

    getMebiBytes = get_mebi_bytes

    def get_gibi_bytes(self) -> int:
        """Return the number of whole GiB."""
        return self.bytes_size // _KIBI**3

    getGibiBytes = get_gibi_bytes

    def get_tebi_bytes(self) -> int:
        """Return the number of whole TiB."""
        return self.bytes_size // _KIBI**4

    getTebiBytes = get_tebi_bytes


@final
@checked_methods
@attrs.frozen(kw_only=True)
class SlotSharingGroup:
    """Group of operators that share slots, and the slots' resources.

    Differs from Flink: the resources have no effect, since all operators share Spark's cores.
    """

    get_java_slot_sharing_group = Refused()

    name: str
    cpu_cores: float | None = None
    task_heap_memory: MemorySize | None = None
    task_off_heap_memory: MemorySize | None = None
    managed_memory: MemorySize | None = None
    external_resources: dict[str, float] = attrs.field(factory=dict)

    @staticmethod
    def builder(name: str) -> SlotSharingGroup.Builder:
        """Create a builder of a group with this name."""
        return SlotSharingGroup.Builder(SlotSharingGroup(name=name))

    def get_name(self) -> str:
        """Return the group's name."""
        return self.name

    getName = get_name

    def get_cpu_cores(self) -> float | None:
        """Return the CPU cores of a slot."""
        return self.cpu_cores

    getCpuCores = get_cpu_cores

    def get_task_heap_memory(self) -> MemorySize | None:
        """Return the task heap memory of a slot."""
        return self.task_heap_memory

    getTaskHeapMemory = get_task_heap_memory

    def get_task_off_heap_memory(self) -> MemorySize | None:
        """Return the task off-heap memory of a slot."""
        return self.task_off_heap_memory

    getTaskOffHeapMemory = get_task_off_heap_memory

    def get_managed_memory(self) -> MemorySize | None:
        """Return the managed memory of a slot."""
        return self.managed_memory

    getManagedMemory = get_managed_memory

    def get_external_resources(self) -> dict[str, float]:
        """Return the external resources of a slot, such as GPUs, by name."""
        return dict(self.external_resources)

    getExternalResources = get_external_resources

    @final
    @checked_methods
    class Builder:
        """Builder of a group; each setter returns the builder."""

        def __init__(self, group: SlotSharingGroup) -> None:
            self._group = group

        def set_cpu_cores(self, cpu_cores: float) -> SlotSharingGroup.Builder:
            """Set the CPU cores of a slot."""
            return self._with(cpu_cores=cpu_cores)

        setCpuCores = set_cpu_cores

        def set_task_heap_memory(self, task_heap_memory: MemorySize) -> SlotSharingGroup.Builder:
            """Set the task heap memory of a slot."""
            return self._with(task_heap_memory=task_heap_memory)

        setTaskHeapMemory = set_task_heap_memory

        def set_task_heap_memory_mb(self, task_heap_memory_mb: int) -> SlotSharingGroup.Builder:
            """Set the task heap memory of a slot to ``task_heap_memory_mb`` MiB."""
            return self.set_task_heap_memory(MemorySize.of_mebi_bytes(task_heap_memory_mb))

        setTaskHeapMemoryMb = set_task_heap_memory_mb

        def set_task_off_heap_memory(self, task_off_heap_memory: MemorySize) -> SlotSharingGroup.Builder:
            """Set the task off-heap memory of a slot."""
            return self._with(task_off_heap_memory=task_off_heap_memory)

        setTaskOffHeapMemory = set_task_off_heap_memory

        def set_task_off_heap_memory_mb(self, task_off_heap_memory_mb: int) -> SlotSharingGroup.Builder:
            """Set the task off-heap memory of a slot to ``task_off_heap_memory_mb`` MiB."""
            return self.set_task_off_heap_memory(MemorySize.of_mebi_bytes(task_off_heap_memory_mb))

        setTaskOffHeapMemoryMb = set_task_off_heap_memory_mb

        def set_managed_memory(self, managed_memory: MemorySize) -> SlotSharingGroup.Builder:
            """Set the managed memory of a slot."""
            return self._with(managed_memory=managed_memory)

        setManagedMemory = set_managed_memory

        def set_managed_memory_mb(self, managed_memory_mb: int) -> SlotSharingGroup.Builder:
            """Set the managed memory of a slot to ``managed_memory_mb`` MiB."""
            return self.set_managed_memory(MemorySize.of_mebi_bytes(managed_memory_mb))

        setManagedMemoryMb = set_managed_memory_mb

        def set_external_resource(self, name: str, value: float) -> SlotSharingGroup.Builder:
            """Set the amount of an external resource of a slot.

            Args:
                name: Name of the resource, such as ``gpu``.
                value: Amount.
            """
            return self._with(external_resources={**self._group.external_resources, name: value})

        setExternalResource = set_external_resource

        def build(self) -> SlotSharingGroup:
            """Build the group."""
            return self._group

        def _with(self, **resources: Any) -> SlotSharingGroup.Builder:
            self._group = attrs.evolve(self._group, **resources)
            return self
