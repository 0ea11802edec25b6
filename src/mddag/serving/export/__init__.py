"""Export: a DAG comes in, source code that needs no library goes out. Start with ``c``."""

from mddag.serving.export.c import export_c as export_c

__all__ = ["export_c"]
