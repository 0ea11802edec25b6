"""What tests of experiments share: they run one as its user does, and read its tables."""

import csv
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(name, *options, **environment):
    command = [sys.executable, ROOT / "experiments" / f"{name}.py", *options]
    environment = os.environ | {"MPLBACKEND": "Agg"} | environment
    subprocess.run(command, check=True, capture_output=True, env=environment)


def table(path):
    return list(csv.DictReader(path.read_text().splitlines()))
