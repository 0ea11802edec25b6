"""The report: a fitted model and rows come in, one HTML file goes out.

    facts    what is known: the DAG, rows, targets, a curve, and all that follows from them
    svg      charts as text
    page     the sections in their order, in one file that needs nothing else

Every other file is one section: a function of Facts that gives a Section, or None where it does not
apply. ``page.html``, ``style.css`` and ``script.js`` are what its name says.
"""

from mddag.inspection.report.facts import Facts as Facts
from mddag.inspection.report.page import write_report as write_report

__all__ = ["Facts", "write_report"]
