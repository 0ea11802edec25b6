"""Rankings: votes on the documents of queries come in, a policy that knows the query goes out.

    ``order``          trees by how soon their sum resembles the full score near the top
    ``fit_readings``   the expected full score, and its spread, at check points
    ``members``        the number of a document at a check point; it quits where that is small
    ``cross_fitting``  one knob for all check points, chosen on other queries

Labels are not needed: a policy is judged by the metric that it loses against the full model's own
order (``problem``). Start with ``members``."""

from mddag.solvers.ranking.members import (
    CapacityExits,
    Exits,
    PrefixExits,
    ProximityExits,
    QueryExits,
    RankExits,
    ScoreExits,
    UrgencyExits,
)

__all__ = [
    "CapacityExits",
    "Exits",
    "PrefixExits",
    "ProximityExits",
    "QueryExits",
    "RankExits",
    "ScoreExits",
    "UrgencyExits",
]
