"""Descent: starts, guards, teachers, Ctrl-C, refusals."""
