"""Write a report: a fitted model and rows come in, one HTML file goes out."""

from mddag.inspection.report.facts import Facts as Facts
from mddag.inspection.report.page import write_report as write_report

__all__ = ["Facts", "write_report"]
