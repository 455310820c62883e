"""Groups of processes with a bound: made where the kernel knows them, refused elsewhere, and gone afterwards."""

import os
import subprocess
from pathlib import Path

import pytest

from runner.execution import cgroups


@pytest.mark.parametrize("bound", [cgroups.PROCESSES, cgroups.MEMORY])
def test_a_plain_folder_is_no_place_for_groups(tmp_path: Path, bound: str) -> None:
    with pytest.raises(FileNotFoundError), cgroups.group(tmp_path, {bound: "1000000"}):
        pass

    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("bound", [cgroups.PROCESSES, cgroups.MEMORY])
def test_a_group_is_there_while_it_is_used(bound: str) -> None:
    place = cgroups.first_with(bound)
    if place is None:
        pytest.skip("no groups with this bound can be made here")

    with cgroups.group(place, {bound: "1000000000" if bound == cgroups.MEMORY else "9"}) as group:
        words = ["sh", "-c", 'echo 0 > "$1/cgroup.procs" && cat "$1/cgroup.procs"', "sh", str(group)]
        told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert len(told.split()) == 2
        assert str(os.getpid()) not in told.split()

    assert not group.exists()


def test_a_bound_that_is_none_is_refused() -> None:
    place = cgroups.first_with(cgroups.PROCESSES)
    if place is None:
        pytest.skip("no groups with this bound can be made here")
    before = {*place.glob(f"evals-cell-{os.getpid():x}-*")}

    with pytest.raises(OSError, match="Invalid argument"), cgroups.group(place, {cgroups.PROCESSES: "many"}):
        pass

    assert {*place.glob(f"evals-cell-{os.getpid():x}-*")} == before


def test_groups_of_the_second_version_are_made_joined_and_removed_where_a_machine_has_both() -> None:
    place = Path("/sys/fs/cgroup/unified")
    if not (place / "cgroup.procs").exists() or not os.access(place, os.W_OK):
        pytest.skip("there is no tree of the second version beside those of the first")
    bound = "cgroup.max.descendants"

    with cgroups.group(place, {bound: "3"}) as group:
        words = ["sh", "-c", 'echo 0 > "$1/cgroup.procs" && cat /proc/self/cgroup', "sh", str(group)]
        stated = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert (group / bound).read_text() == "3\n"
        assert f"0::/{group.name}" in stated.splitlines()

    assert not group.exists()
