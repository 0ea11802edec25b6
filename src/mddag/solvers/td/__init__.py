"""Temporal differences, the paper's way (Section 2.2): an MDP comes in, episodes of random
instances are played, and the greedy policy of the learned value function goes out.

``temporal_difference`` has the loop: start there. ``sarsa`` and ``watkins_q`` are the two members,
``values`` the value functions Q(s, a), ``exploration`` the probability of a random action,
``episodes`` one run of the native kernel.
"""
