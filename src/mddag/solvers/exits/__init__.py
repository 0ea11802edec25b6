"""Early exits: policies without SKIP, in which a row evaluates base classifiers until it quits.

The votes of policy rows come in; candidates go out, from the full ensemble to the boldest rule.
``family`` has what the members share: start there. ``nested`` finds loss and cost of all candidates
of a member in one pass over the rows. ``stopping`` solves price by price, by backward induction.
"""
