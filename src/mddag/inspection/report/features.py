"""Features: which of them the evaluated base classifiers read.

A tree reads a feature if one of its splits does, whether or not a row comes past that split: what
has to be there before a tree is evaluated.
"""

from __future__ import annotations

import numpy as np

from mddag.inspection.explanation.rules import feature_name
from mddag.inspection.report.facts import Facts
from mddag.inspection.report.reads import Reads
from mddag.inspection.report.section import Section, escaped, paragraph, percent

MOST_LISTED = 25


def features(facts: Facts) -> Section | None:
    """None without rows, or where base classifiers are no trees."""
    read = facts.reads
    if facts.rows is None or not read:
        return None
    uses = facts.paths.uses(facts.n_classifiers + 1).sum(axis=1)
    times = np.zeros(facts.ensemble.n_features)
    for j, columns in read.items():
        times[columns] += uses[j]
    order = np.argsort(-times, kind="stable")
    order = order[times[order] > 0][:MOST_LISTED]
    shares = {int(i): _share(facts, read, int(i)) for i in order}
    bars = "".join(
        _bar(feature_name(facts.ensemble.features, i), share, times[i] / len(facts.paths))
        for i, share in shares.items()
    )
    n_read = int((times > 0).sum())
    more = f" The {len(order)} that are read most often are listed." if n_read > len(order) else ""
    said = (
        f"{n_read} of {facts.ensemble.n_features} features are read by some evaluated tree.{more} "
        "Bar: the share of rows for which an evaluated tree reads the feature. Number: evaluated "
        "trees that read it, per row." + facts.of_paths
    )
    return Section("features", "Use of features", paragraph(said) + f'<ul class="bars">{bars}</ul>')


def _share(facts: Facts, read: Reads, i: int) -> float:
    """The share of rows with a base classifier on their path that reads feature i."""
    reads = np.zeros(max(read) + 1, bool)
    reads[[j for j, columns in read.items() if i in columns]] = True
    hits = np.concatenate([[0], np.cumsum(reads[facts.paths.indices])])
    return float((np.diff(hits[facts.paths.indptr]) > 0).mean())


def _bar(name: str, share: float, times: float) -> str:
    width = f"{100 * share:.1f}"
    return (
        f"<li><span>{escaped(name)}</span>"
        f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" '
        f'aria-label="{percent(share)} of rows"><rect class="back" width="100" height="10" />'
        f'<rect class="c0" width="{width}" height="10" /></svg>'
        f"<span>{percent(share)}</span><span>{times:.1f}</span></li>"
    )
