"""Write a report: a fitted model and rows come in, one HTML file goes out.

facts      what is known: the DAG, rows, targets, a curve, and all that follows from them
sections   what was measured, the trade-off, evaluations, features, costs, calibration, detection
paths      the DAG, and single rows in it
markup     a Section from its template, charts with their axes
page       the sections in their order, in one file that needs nothing else
templates  the words and the drawing of each section, the page, its style and its script
"""

from mddag.inspection.report.facts import Facts as Facts
from mddag.inspection.report.page import write_report as write_report

__all__ = ["Facts", "write_report"]
