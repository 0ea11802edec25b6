"""What a model does, for people: plots, one row explained, a report.

``plotting`` draws a Trace or a Curve; matplotlib is imported when one is drawn. Start with
``plotting.graph``, the DAG as counts of paths. ``explanation`` follows one row; ``report`` writes
a page.
"""
