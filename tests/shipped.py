"""Folders of the project that its source distribution leaves out."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def needed(folder: str) -> Path:
    """The folder; where it is not there, the test or module that asks for it is skipped."""
    if not (ROOT / folder).is_dir():
        reason = f"{folder}/ is not part of the source distribution"
        pytest.skip(reason, allow_module_level=True)
    return ROOT / folder
