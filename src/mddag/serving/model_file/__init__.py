"""Keep a sparse decision DAG in a file: safetensors with JSON metadata.

It holds arrays and text alone: reading a file runs none of its content. docs/serving.md lists the
tensors.
"""

from mddag.serving.model_file.container import ModelFileError as ModelFileError
from mddag.serving.model_file.model import Model as Model

__all__ = ["Model", "ModelFileError"]
