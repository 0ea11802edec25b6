"""Write a report: a fitted model and rows come in, one HTML file goes out.

facts        what is known: the DAG, rows, targets, a curve, and all that follows from them
markup       sections and charts as text
page         the sections in their order, in one file that needs nothing else
summary      what was measured, the trade-off, calibration, detection
paths        the DAG, single rows, evaluations, base classifiers
features     which are read, and what they cost

A section is a function of Facts that gives a Section, or None where it does not apply.
``page.html``, ``style.css`` and ``script.js`` are what their names say.
"""

from mddag.inspection.report.facts import Facts as Facts
from mddag.inspection.report.page import write_report as write_report

__all__ = ["Facts", "write_report"]
