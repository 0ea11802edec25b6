"""Export a model as source code that needs no library. Start with ``write``."""

from mddag.serving.export.write import Exported as Exported
from mddag.serving.export.write import Language as Language
from mddag.serving.export.write import export as export

__all__ = ["Exported", "Language", "export"]
