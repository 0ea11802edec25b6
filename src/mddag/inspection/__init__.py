"""Show what a model does: plots, one row explained, a report.

``plotting`` draws a Trace or a Curve; matplotlib is imported when something is drawn. Start with
``plotting.graph``, the DAG as counts of paths. ``explanation`` follows one row; ``report`` writes
a page.
"""
