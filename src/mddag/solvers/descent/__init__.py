"""Exact coordinate descent on Eq. (8): an MDP comes in, a local optimum goes out.

``sweep`` is one backward pass, ``descents`` the starts and the sweeps from them. Start with
``descent``."""
