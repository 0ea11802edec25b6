"""Kernels know a state by the members that native/mdp/state.hpp lists.

A second one, whose chains of SKIP do not fold, goes through them unchanged (state.cpp).
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

COMPILER = os.environ.get("CXX", "c++")


@pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"there is no {COMPILER}")
@pytest.mark.skipif("MDDAG_SANITIZE" in os.environ, reason="the program is not built for it")
def test_a_state_that_does_not_fold_goes_through_the_kernels(tmp_path):
    here, program = Path(__file__).parent, tmp_path / "state"
    command = [COMPILER, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread"]
    command += [f"-I{here.parents[1] / 'native'}", str(here / "state.cpp"), "-o", str(program)]
    subprocess.run(command, check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("0\n", 0)
