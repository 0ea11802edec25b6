"""Reading files of all kinds: one error for all that is wrong."""

import pytest

from mddag.serving.model_file.container import ModelFileError, content_of, file_content, pack


def test_what_is_made_is_returned(tmp_path):
    (tmp_path / "a").write_bytes(pack({"kind": "thing"}, {}))
    assert file_content(tmp_path / "a", lambda metadata, tensors: metadata["kind"]) == "thing"


@pytest.mark.parametrize("error", [ValueError, TypeError, OverflowError, RecursionError])
def test_errors_of_the_maker_are_errors_of_the_file(error, tmp_path):
    def make(metadata, tensors):
        raise error("nonsense")

    data = pack({}, {})
    with pytest.raises(ModelFileError, match="holds no sound model: nonsense"):
        content_of(data, make)
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(ModelFileError, match=r"cannot read '.*a': the file holds no sound model"):
        file_content(tmp_path / "a", make)


def test_a_folder_is_said_to_be_one(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder"):
        file_content(tmp_path, lambda metadata, tensors: None)
