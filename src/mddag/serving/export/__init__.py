"""Export a model as source code that needs no library. Start with ``write``.

write        ``export``, which checks what is asked and writes the file
walk_tables  the policy and its trees as integer tables; the longest way through them
tables       what a renderer reads: these, labels, probabilities
render       the templates in ``walks``, and the comment at the top of each file
c, java, go, rust, javascript, wasm   one renderer each
"""

from mddag.serving.export.write import Exported as Exported
from mddag.serving.export.write import Language as Language
from mddag.serving.export.write import export as export

__all__ = ["Exported", "Language", "export"]
