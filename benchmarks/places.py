"""Where things are: the repository, the results, and what is kept between runs."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"  # a folder per subject; committed
OUT = ROOT / "out"  # trained models and trial runs; not committed
