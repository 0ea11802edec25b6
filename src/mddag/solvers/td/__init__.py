"""Temporal differences, as in the paper: episodes of random instances come in, the greedy policy of
the learned value function goes out. ``values`` are the value functions, ``exploration`` how often
actions are random. Start with ``temporal_difference``."""
