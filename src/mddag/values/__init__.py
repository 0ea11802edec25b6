"""Value functions for Sarsa and WatkinsQ.

| value function | use it when |
|---|---|
| Table | always to begin with: faster, and as good (docs/solvers.md) |
| RadialBasis | you want what the authors' program ran |
"""

from mddag.values.radial_basis import RadialBasis
from mddag.values.table import Table
from mddag.values.value import Value

__all__ = ["RadialBasis", "Table", "Value"]
