"""Early exits: policies without SKIP. Votes of the rows come in, a family of exits goes out.

``nested`` evaluates a whole family in one pass over the rows. Start with ``family``."""
