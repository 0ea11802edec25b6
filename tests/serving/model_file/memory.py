"""How much memory a model may take when it is loaded and made ready for batches.

It is what docs/serving.md says: TIMES times the file and CONSTANT.

    python -m tests.serving.model_file.memory PATH    what becomes of a file within that

The limit is on address space, so that memory counts which is asked for and never touched; only
Linux keeps it.
"""

import os
import sys
from contextlib import contextmanager
from pathlib import Path

TIMES, CONSTANT = 16, 64 * 2**20
# A sanitizer maps memory of its own as a model is read, more at some times than a case may take.
LIMITED = sys.platform == "linux" and "MDDAG_SANITIZE" not in os.environ


@contextmanager
def memory_limit(n_bytes):
    """Within it, at most so many bytes more than the process has."""
    if not LIMITED:
        yield
        return
    import resource

    held = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (held + n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def main(path):
    import mddag

    load, refused = mddag.load, mddag.ModelFileError
    with memory_limit(TIMES * os.path.getsize(path) + CONSTANT):
        try:
            predictor = load(path)
            dag = predictor.model.dag
            print("loaded", predictor, dag)
        except refused as error:
            print("refused", error)


if __name__ == "__main__":
    main(sys.argv[1])
