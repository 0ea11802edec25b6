"""Value functions Q(s, a) for Sarsa and WatkinsQ; ``value`` has the contract.

| value function | use it when |
|---|---|
| Table | always to begin with: faster, and as good (docs/solvers.md) |
| RadialBasis | you want what the authors' program ran |
"""

from mddag.solvers.td.values.radial_basis import RadialBasis
from mddag.solvers.td.values.table import Table
from mddag.solvers.td.values.value import Value

__all__ = ["RadialBasis", "Table", "Value"]
