"""Export: a model comes in, source code that needs no library goes out. Start with ``door``."""

from mddag.serving.export.door import Exported as Exported
from mddag.serving.export.door import export as export

__all__ = ["Exported", "export"]
