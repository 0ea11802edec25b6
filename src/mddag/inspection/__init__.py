"""Show what a model does: plots, one row explained, a report of many."""
