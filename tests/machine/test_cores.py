"""Counting cores: by recorded topologies of processors that are not here, and by the control group of this process."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from app.machine.cores import Cores, cgroup_limit, count_cores, count_linux, count_strong_records, parse_cpu_list


class Tree:
    """A ``/sys`` and ``/proc`` of another machine."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, text: str) -> Tree:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n", encoding="ascii")
        return self

    def siblings(self, *groups: str) -> Tree:
        for group in groups:
            for cpu in parse_cpu_list(group):
                self.write(f"sys/devices/system/cpu/cpu{cpu}/topology/core_cpus_list", group)
        return self


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_lists_of_processors() -> None:
    assert parse_cpu_list("0-3,8,10-11\n") == [0, 1, 2, 3, 8, 10, 11]
    assert parse_cpu_list("") == parse_cpu_list("what?") == parse_cpu_list("0-99999999") == []


def test_two_threads_of_a_core_are_one(tree: Tree) -> None:
    tree.siblings("0,4", "1,5", "2,6", "3,7")
    assert count_linux(tree.root, range(8)) == Cores(4, 4)
    assert count_linux(tree.root, {0, 4}) == Cores(1, 1), "taskset to one core"
    assert count_linux(tree.root, {3}) == Cores(1, 1)


def test_an_older_kernel_names_the_file_otherwise(tree: Tree) -> None:
    for cpu in range(4):
        tree.write(f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list", f"{cpu % 2},{cpu % 2 + 2}")
    assert count_linux(tree.root, range(4)) == Cores(2, 2)


def test_a_system_that_tells_nothing_has_a_core_for_each_processor(tree: Tree) -> None:
    assert count_linux(tree.root, range(6)) == Cores(6, 6)


def test_efficiency_cores_take_no_thread(tree: Tree) -> None:
    """Core i7-1260P: four performance cores with two threads each, eight efficiency cores."""
    tree.siblings("0-1", "2-3", "4-5", "6-7", *(str(cpu) for cpu in range(8, 16)))
    tree.write("sys/devices/cpu_core/cpus", "0-7").write("sys/devices/cpu_atom/cpus", "8-15")
    cores = count_linux(tree.root, range(16))
    assert cores == Cores(12, 4)
    assert cores.threads == 4
    assert count_linux(tree.root, range(8, 16)) == Cores(8, 8), "held to efficiency cores, these are what there is"


def test_small_cores_of_arm_take_no_thread(tree: Tree) -> None:
    """Snapdragon 8 Gen 2: one, four and three of three sizes."""
    for cpu, capacity in enumerate([330, 330, 330, 820, 820, 740, 740, 1024]):
        tree.write(f"sys/devices/system/cpu/cpu{cpu}/cpu_capacity", str(capacity))
    assert count_linux(tree.root, range(8)) == Cores(8, 5)


@pytest.mark.parametrize(("quota", "limit", "threads"), [
    ("50000 100000", 0.5, 1), ("100000 100000", 1, 1), ("150000 100000", 1.5, 2), ("240000 100000", 2.4, 2),
    ("max 100000", 0, 8), ("9000000 100000", 90, 8), ("rubbish", 0, 8), ("100000 0", 0, 8),
])
def test_a_control_group_bounds_the_threads(tree: Tree, quota: str, limit: float, threads: int) -> None:
    tree.write("proc/self/cgroup", "0::/user.slice/app").write("sys/fs/cgroup/user.slice/app/cpu.max", quota)
    assert cgroup_limit(tree.root) == limit
    assert count_linux(tree.root, range(8)).threads == threads


def test_a_group_above_and_a_containers_own_root_count_too(tree: Tree) -> None:
    tree.write("proc/self/cgroup", "0::/a/b").write("sys/fs/cgroup/a/cpu.max", "300000 100000")
    tree.write("sys/fs/cgroup/a/b/cpu.max", "max 100000")
    assert cgroup_limit(tree.root) == 3
    tree.write("sys/fs/cgroup/cpu.max", "200000 100000")
    assert cgroup_limit(tree.root) == 2


def test_the_first_version_of_control_groups(tree: Tree) -> None:
    tree.write("proc/self/cgroup", "11:memory:/docker/1\n4:cpu,cpuacct:/docker/1")
    tree.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000").write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000")
    assert cgroup_limit(tree.root) == 2.5
    tree.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1")
    assert cgroup_limit(tree.root) == 0


def test_windows_records_of_efficiency_classes() -> None:
    def record(relation: int, efficiency: int, size: int = 48) -> bytes:
        return struct.pack("<IIBB", relation, size, 0, efficiency) + bytes(size - 10)

    hybrid = b"".join([record(0, 1), record(0, 1), record(3, 9, 76), *[record(0, 0)] * 4])
    assert count_strong_records(hybrid) == 2
    assert count_strong_records(record(0, 0) * 8) == 8
    assert count_strong_records(b"") == count_strong_records(bytes(60)) == 0


def test_this_machine_has_cores() -> None:
    cores = count_cores()
    assert 1 <= cores.threads <= cores.strong <= cores.all
