"""Slow, readable twins of the kernels. A twin is the specification of its kernel."""
