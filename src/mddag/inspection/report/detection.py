"""Detection: what a detector rejects, and after how many evaluations."""

from __future__ import annotations

import numpy as np

from mddag.inspection.report.facts import Facts
from mddag.inspection.report.markup import Chart, Section, figure, legend, listed, paragraph


def detection(facts: Facts) -> Section | None:
    """None for models that are no detectors."""
    rates = facts.rates
    if rates is None:
        return None
    html = listed([rates.line("fpr"), rates.line("tpr")])
    html += paragraph(
        f"A negative evaluates {rates.n_evaluated:.1f} base classifiers on average, on the",
        f"{rates.n_negatives} negatives held out.",
    )
    if facts.rows is not None and facts.codes is not None:
        html += _on_rows(facts)
    html += paragraph("Not shown: pictures, boxes, and times; see docs/detection.md.")
    return Section("detection", "Detection", html)


def _on_rows(facts: Facts) -> str:
    """Who is left behind each step, negatives and positives apart."""
    assert facts.codes is not None
    steps, exits = facts.dag.policy.n_steps, facts.trace.exit_step
    chart = Chart(
        "rows left by step", (0.0, float(max(steps, 1))), (0.0, 1.05), "step of the policy",
        "rows that are left", y_percent=True,
    )  # fmt: skip
    names, said = [], []
    for k, name in enumerate(("negatives", "positives")):
        here = facts.codes == k
        if not here.any():
            continue
        gone = np.cumsum(np.bincount(exits[here], minlength=steps + 1)) / here.sum()
        kept = [(0.0, 1.0), *((float(j), 1 - float(gone[j])) for j in range(steps))]
        chart.line(kept[:: max(len(kept) // 400, 1)], f"c{k}", steps=True)
        found = float((facts.predicted[here] == 1).mean())
        names.append(name)
        said.append(f"{found:.4g} of {int(here.sum())} {name} are called positive")
    return figure(chart.svg(), f"On the rows given: {'; '.join(said)}.") + legend(names)
