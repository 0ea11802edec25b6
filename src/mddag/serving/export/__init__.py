"""Export: a DAG as source code that needs no library."""

from mddag.serving.export.c import export_c as export_c

__all__ = ["export_c"]
